"""Files on a disk that is full: what was there stays whole."""

import subprocess
import sys
from pathlib import Path

import pytest

from recollect.transfer.mirror import disk
from tests.transfer.mirror.keeping import kept

FULL = """
import resource, signal, sys
from pathlib import Path
from recollect.transfer.mirror import disk
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    getattr(disk, sys.argv[1])(Path(sys.argv[2]), b"x" * 200)
except OSError as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files is a thing of Unix")
@pytest.mark.parametrize("how", ["append", "replace"])
def test_what_does_not_fit_leaves_the_file_as_it_was(how: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"whole\n")
    done = subprocess.run([sys.executable, "-c", FULL, how, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "OSError\n"
    assert path.read_bytes() == b"whole\n"
    assert kept(tmp_path) == ["file"]


def test_the_same_content_is_kept_aside_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"theirs", b"other", b"theirs"):
        path.write_bytes(content)
        disk.set_aside(path)
        disk.replace(path, b"ours")
    assert kept(tmp_path) == ["file", "file.kept-1", "file.kept-2"]
    assert (tmp_path / "file.kept-1").read_bytes() == b"theirs"
