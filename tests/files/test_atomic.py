"""What stands at a path is replaced as a whole; what is no file of its own is not replaced at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dialeval.files.atomic import atomic_path, write_atomically


def test_a_file_is_replaced_or_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write_atomically(file, b"old")

    def fail() -> None:
        with atomic_path(file) as scratch:
            scratch.write_bytes(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert file.read_bytes() == b"old"
    write_atomically(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert file.read_bytes() == b"new"


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link, dangling = tmp_path / "far" / "a.txt", tmp_path / "link", tmp_path / "dangling"
    target.write_bytes(b"old")
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "far" / "b.txt")
    for path in (link, dangling):
        write_atomically(path, b"new", follow=True)
        assert path.is_symlink()
    assert [path.read_bytes() for path in sorted((tmp_path / "far").iterdir())] == [b"new", b"new"]


def test_what_stands_in_a_received_folder_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "secret"
    target.write_bytes(b"mine")
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    os.mkfifo(pipe)
    for path in (link, pipe):
        write_atomically(path, b"new")
        assert path.read_bytes() == b"new"
        assert not path.is_symlink()
    assert target.read_bytes() == b"mine"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"all of it", follow=True)
    reader.join(timeout=30)
    assert read == [b"all of it"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("piped", [True, False])
def test_standard_output_can_be_named_as_a_file(piped: bool, tmp_path: Path) -> None:
    script = (
        "from pathlib import Path; from dialeval.files.atomic import write_atomically\n"
        "write_atomically(Path('/dev/stdout'), b'text', follow=True)"
    )
    file = tmp_path / "out.txt"
    if piped:
        file.write_bytes(subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE).stdout)
    else:
        with file.open("wb") as out:
            subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
    assert file.read_bytes() == b"text"
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EFBIG, "File too large"), None],
    ids=["full", "too large", "gone"],
)
def test_an_error_of_writing_names_the_file_and_not_its_scratch_file(
    tmp_path: Path, error: OSError | None
) -> None:
    def fail() -> None:
        with atomic_path(tmp_path / "a.txt") as scratch:
            if error is not None:
                raise error
            scratch.unlink()

    with pytest.raises(OSError, match=r"a\.txt") as raised:
        fail()
    assert raised.value.filename == str(tmp_path / "a.txt")


def test_an_error_about_another_file_keeps_its_name(tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_path(tmp_path / "a.txt"):
            (tmp_path / "input.txt").read_bytes()

    with pytest.raises(FileNotFoundError) as raised:
        fail()
    assert raised.value.filename == str(tmp_path / "input.txt")
