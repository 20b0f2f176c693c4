"""The command line as a whole: quick, helpful, honest in its exit codes."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from functools import partial
from typing import get_args

import pytest

import dialeval as package
from dialeval.cli import main
from dialeval.errors import BadInput, ResourceUnavailable

VERBS = ["demo", "run", "score", "compare", "report", "data ls", "data validate", "data convert"]
VERBS += [
    "data",
    "resources",
    "resources ls",
    "resources verify",
    "train",
    "train skip-thought",
    "train generator",
    "train nlg",
    "nlg",
    "nlg generate",
    "doctor",
]
VERBS += ["annotate", "annotate agreement", "meta", "chat", "systems", "systems ls"]
VERBS += [
    "select",
    "select build",
    "select tasks",
    "select vet",
    "select label",
    "select stats",
    "select ask",
]
HEAVY = ("numpy", "torch", "numba", "matplotlib", "fastapi", "pyarrow", "pydantic", "scipy.stats", "jinja2")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(dialeval, verb):
    done = dialeval(*verb.split(), "--help")
    assert done.code == 0
    assert "Example" in done.out
    assert f"dialeval {verb}" in " ".join(done.out.split())
    assert max(map(len, done.out.splitlines())) <= 80


def test_help_names_every_verb_and_gives_an_example(dialeval):
    out = dialeval("--help").out
    assert "Example:\n  dialeval demo" in out
    assert all(verb.split()[0] in out for verb in VERBS)


def test_a_wrong_verb_or_option_is_a_usage_error(dialeval):
    assert dialeval("scoer", "x").code == 2
    assert dialeval("score", "--no-such-option").code == 2
    assert dialeval("run").code == 2


def test_the_version_is_the_packages(dialeval):
    assert dialeval("--version").out.strip() == f"dialeval {package.__version__}"


def test_an_error_is_printed_without_traceback_and_exits_with_1(dialeval):
    done = dialeval("run", "no-such-study.yaml")
    assert done.code == 1
    assert done.err.startswith("error: no-such-study.yaml: found no such file, expected a study file")
    assert "Traceback" not in done.err
    assert done.out == ""


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_dialeval_loads_nothing_heavy():
    assert loaded_by("import dialeval").isdisjoint(HEAVY)


def test_help_loads_nothing_heavy():
    code = "sys.argv = ['dialeval', '--help']\nfrom dialeval.cli import main\ntry: main()\nexcept SystemExit: pass"
    assert loaded_by(code).isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "line", ["score {0} --cache {1}", "score {0} --no-resume -m bleu --json", "compare {0} {2}"]
)
def test_a_small_job_loads_only_what_it_needs(line, tmp_path):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for file, words in ((first, "yes"), (second, "no")):
        lines = [{"id": n, "context": [], "response": f"{words} {n}", "references": ["yes 1"]} for n in "123"]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    argv = ["dialeval", *line.format(first, tmp_path / "cache", second).split()]
    code = f"sys.argv = {argv!r}\nfrom dialeval.cli import main\ntry: main()\nexcept SystemExit: pass"
    loaded = loaded_by(code)
    assert "dialeval.metrics.overlap.bleu" in loaded
    unwanted = {
        "typer",
        "click",
        "rich",
        "pydantic",
        "zipfile",
        "tempfile",
        "scipy",
        "numba",
        "pandas",
        "pyarrow",
        "torch",
        "matplotlib",
        "jinja2",
        "yaml",
        "dialeval.study.document",
        "dialeval.data.importers.corpora",
        "dialeval.cli.run",
        "dialeval.stats.correlation",
    }
    assert loaded & unwanted == set()


def test_the_public_list_is_sorted_complete_and_loads():
    names = package.__all__
    assert names == sorted(names)
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense


def test_the_functions_are_not_hidden_by_their_modules():
    code = (
        "import dialeval.study, dialeval\nassert callable(dialeval.evaluate) and callable(dialeval.compare)"
    )
    assert loaded_by(code)


def test_the_kinds_of_the_command_line_are_those_of_the_library():
    from dialeval.cli.options import Kind as option
    from dialeval.data import Kind

    assert get_args(option) == get_args(Kind)


REFUSED = "libllvmlite.so: failed to map segment from shared object"


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError(REFUSED),
        RuntimeError(
            "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"
        ),
        RuntimeError("std::bad_alloc"),
        RuntimeError("can't start new thread"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
    ],
    ids=repr,
)
def test_a_lack_of_memory_is_told_in_a_sentence_whoever_says_it(error, monkeypatch, capsys):
    def fail(_words):
        raise error

    monkeypatch.setattr(sys.modules["dialeval.cli.main"], "_run", fail)
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1
    err = capsys.readouterr().err
    assert err.startswith("error: Out of memory")
    assert str(error) in err
    assert "give the same command again" in err


def test_weights_that_memory_was_too_small_for_are_not_called_absent_and_files_keep_their_words(
    monkeypatch, capsys
):
    def fail(_words, kind):
        try:
            raise ImportError(REFUSED)
        except ImportError as error:
            raise kind from error

    for kind, words in (
        (ResourceUnavailable("No encoder. Reinstall it."), f"error: Out of memory ({REFUSED}). Close other"),
        (
            BadInput("x", "y", "z", "Do."),
            "error: x: found y, expected z. Do. Memory ran out meanwhile. Close",
        ),
    ):
        monkeypatch.setattr(sys.modules["dialeval.cli.main"], "_run", partial(fail, kind=kind))
        with pytest.raises(SystemExit):
            main()
        assert capsys.readouterr().err.startswith(words)
