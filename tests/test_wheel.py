"""The package as pip installs it from a wheel: no clone, an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import DOCS, ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the installed wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(folder / "site"),
    ]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    return folder / "site"


@pytest.fixture
def installed(site, tmp_path):
    def call(*words: str, without: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        hidden = "".join(f"sys.modules[{name!r}] = None;" for name in without)
        code = f"import sys; {hidden} import dialeval; from dialeval.cli import main; "
        code += f"assert dialeval.__file__.startswith({str(site)!r}), dialeval.__file__; main()"
        environment = {
            **os.environ,
            "PYTHONPATH": str(site),
            "COLUMNS": "80",
            "XDG_CACHE_HOME": str(tmp_path / ".cache"),
        }
        command = [sys.executable, "-c", code, *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return call


def test_every_page_is_installed_and_installs_by_name(installed):
    listed = installed("docs")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == sorted(
        p.stem for p in DOCS.glob("*.md")
    )
    assert installed("docs", "study").stdout == (DOCS / "study.md").read_text(encoding="utf-8")
    annotation = installed("docs", "annotation").stdout
    assert "pip install 'dialeval[serve]'" in annotation
    assert "pip install '." not in annotation


def test_an_error_names_a_command_that_works(installed, tmp_path):
    hint = installed("annotate", "demo", without=("fastapi",))
    assert hint.returncode == 1
    assert hint.stderr.endswith("Run: pip install 'dialeval[serve]'\n")
    (tmp_path / "bad.jsonl").write_text('{"id": "1", "system": "s", "context": []}\n')
    bad = installed("score", "bad.jsonl")
    assert bad.returncode == 1
    assert "'dialeval docs files'" in bad.stderr
    assert installed("docs", "files").returncode == 0


def test_without_torch_a_measure_and_a_system_name_the_extra_that_brings_it(installed, tmp_path):
    (tmp_path / "one.jsonl").write_text(
        '{"id": "1", "response": "A cat sat.", "references": ["A cat sat."]}\n'
    )
    (tmp_path / "gpt").mkdir()
    (tmp_path / "study.yaml").write_text(
        "data: one.jsonl\nmeasures: [rouge_l]\nsystems:\n  - {name: gpt, kind: huggingface, model: gpt}\n"
    )
    for words in (("score", "one.jsonl", "-m", "lm_likelihood(model='gpt2')"), ("run", "study.yaml")):
        hint = installed(*words, without=("torch", "transformers"))
        assert hint.returncode in (1, 2, 3), hint.stdout
        said = " ".join((hint.stdout + hint.stderr).split())
        assert (
            "required and not installed: torch and transformers. Run: pip install 'dialeval[neural]'" in said
        )
        assert "pip install '." not in said


def test_the_demo_runs(installed, tmp_path):
    done = installed("demo", "--quick")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "demo" / "report.html").is_file()
