from collections.abc import Callable

from profiler_plugin.decode.chrome_pairs import Spans
from profiler_plugin.decode.columns import Columns
from profiler_plugin.decode.kineto import Kineto
from profiler_plugin.decode.texts import Texts as _Texts

class Texts(_Texts): ...

class PlainEvents:
    def __init__(
        self,
        columns: Columns,
        line_of: Callable[[int | str, int | str], int | None],
        spans: Spans,
        flows: frozenset[bytes],
        numbers_are_texts: bool,
        kineto: Kineto | None,
    ) -> None: ...
    def read(self, text: str, at: int) -> int: ...
