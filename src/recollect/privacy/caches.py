"""Results of functions that are kept in memory: some of them are texts that were compared or read."""

import sys


def forget_results() -> int:
    """Empty every cache of a function in this package: they keep texts that were compared. How many there are."""
    cleared = 0
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "recollect":
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear) and getattr(value, "__module__", "") == name:
                    clear()
                    cleared += 1
    return cleared
