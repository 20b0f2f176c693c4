"""The library of verb forms is not loaded unless its files are those that we know."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.processes import environment

PROGRAM = """\
from dialeval.errors import ResourceUnavailable
from dialeval.nbest.stimuli.verbs import lemma

try:
    print(lemma("made"))
except ResourceUnavailable as error:
    print(error)
"""


@pytest.mark.parametrize("altered", [False, True])
def test_pickles_of_lemminflect_that_were_altered_are_not_loaded(tmp_path: Path, altered: bool) -> None:
    lemminflect = pytest.importorskip("lemminflect")
    copied = shutil.copytree(Path(lemminflect.__file__).parent, tmp_path / "lemminflect")
    if altered:
        with (copied / "resources" / "model_lemma.pkl.gz").open("r+b") as file:
            file.seek(500)
            file.write(b"!")
        # Whatever the package would run, it is not even imported.
        (copied / "__init__.py").write_text("raise SystemExit('imported')")
    settings = environment()
    settings["PYTHONPATH"] = f"{tmp_path}:{settings.get('PYTHONPATH', '')}"
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=settings, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    if altered:
        assert "model_lemma.pkl.gz" in ended.stdout
        assert "pip install" in ended.stdout
    else:
        assert ended.stdout == "make\n"
