"""Message classes that several threads may ask for at once."""

from __future__ import annotations

import subprocess
import sys


def test_threads_that_race_for_the_first_message_get_classes_that_go_together() -> None:
    program = """if True:
        import sys, threading
        from profiler_plugin.protos import message
        sys.setswitchinterval(1e-6)
        go, failed = threading.Barrier(8), []

        def build():
            go.wait()
            try:
                message("ProfileRequest")(opts=message("ProfileOptions")(version=1))
            except TypeError as error:
                failed.append(error)

        threads = [threading.Thread(target=build) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(failed)
    """
    told = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout for _ in range(3)]
    assert told == ["[]\n"] * 3
