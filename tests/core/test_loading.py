"""Loading in a thread, and forks meanwhile."""

import asyncio
import os
import subprocess
import sys

import pytest

from recollect.core.loading import load_in_thread

SCRIPT = """
import asyncio, os, threading
from recollect.core.loading import load_in_thread

begun, forking, done = threading.Event(), threading.Event(), []
os.register_at_fork(before=forking.set)  # the hook that is registered last runs first

def load():
    begun.set()
    forking.wait()
    done.append(sum(range(3_000_000)))

thread = threading.Thread(target=lambda: asyncio.run(load_in_thread(load)))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    again = asyncio.run(load_in_thread(lambda: "loaded"))
    os._exit(0 if done and again == "loaded" else 1)
thread.join()
assert asyncio.run(load_in_thread(lambda: "loaded")) == "loaded"
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


async def test_what_is_loaded_in_a_thread_is_returned_and_errors_are_raised():
    assert await asyncio.gather(load_in_thread(lambda: 1), load_in_thread(lambda: 2)) == [1, 2]
    with pytest.raises(ZeroDivisionError):
        await load_in_thread(lambda: 1 // 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_waits_until_what_is_being_loaded_is_there():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n"
