from collections.abc import Sequence

class Calls:
    """Records the calls of Python functions, and of C functions by them, on all threads."""

    dropped: int  # calls that were not recorded because `limit` was reached
    def __init__(self, limit: int) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def threads(self) -> list[int]:
        """Their numbers in the operating system."""
    def names(self) -> list[str]:
        """After `stop`: what was called. Positions are the keys of `lines`."""
    def lines(self, first_id: int, base_ns: int) -> Sequence[tuple[int, int, bytes]]:
        """After `stop`: (thread, number of calls, encoded events) of each thread.

        The bytes are the `events` fields of an XLine that starts when the counter was `base_ns`; the metadata id of an
        event is the position of its name plus `first_id`.
        """
