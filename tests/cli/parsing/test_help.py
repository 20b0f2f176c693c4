"""Help says all that is declared, in 80 columns, without importing other verbs."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from dialeval.cli.parsing.help import help_of
from dialeval.cli.parsing.lines import _is_older, _written_help, values_of, wants_help
from dialeval.cli.verbs import COMMANDS, Group
from dialeval.errors import in_clone
from support.command import Command


@pytest.fixture(autouse=True)
def usual_width(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def paths(group: Group = COMMANDS, path: tuple[str, ...] = ()):
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, Group):
            yield from paths(command, (*path, name))


def function_of(words: list[str]):
    command = COMMANDS
    while isinstance(command, Group):
        command = command.commands[words.pop(0)]
    return command.function


def examples(path: tuple[str, ...]) -> list[str]:
    """The commands below the heading, as a shell reads them."""
    _, _, rest = help_of(path).partition("\nExample")
    block = rest.partition(":\n")[2].partition("\n\n")[0].replace("\\\n", "")
    return [line.strip() for line in block.splitlines()]


@pytest.mark.parametrize("path", list(paths()), ids=" ".join)
def test_help_fits_and_its_examples_can_be_copied(path) -> None:
    assert max(map(len, help_of(path).splitlines())) <= 80
    assert examples(path)
    for line in examples(path):
        program, *words = shlex.split(line)
        assert program == "dialeval"
        assert values_of(function_of(words), words)


def test_names_defaults_ranges_and_choices_are_shown() -> None:
    score, build = (" ".join(help_of(path).split()) for path in (["score"], ["select", "build"]))
    for shown in (
        "Usage: dialeval score [OPTIONS] [FILE]",
        "-m, --metric NAME A metric, as in 'bleu(order=2)'. Repeatable.",
        "--seed N Seed of everything random. [at least 0; default: 0]",
        "[0 to 1; default: 0]",
        "--resume, --no-resume Use what earlier runs computed and kept, or recompute everything. "
        "[default: --resume]",
        "--cache PATH Where computed results are kept. [default: the user's cache]",
        "--json Print JSON for machines.",
        "-h, --help Print this help.",
    ):
        assert shown in score
    assert "Usage: dialeval select build [OPTIONS] DIALOGUES" in build
    assert "-o, --out PATH The folder to write. [required]" in build
    assert "--vectors reranked|contextual|static" in build
    assert "--min-words N Fewest words of an utterance. [at least 1; default: 3]" in build


def test_a_narrow_terminal_gets_narrow_help(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, help_of(["data"]).splitlines())) <= 60
    monkeypatch.setenv("COLUMNS", "200")
    assert max(map(len, help_of(["data"]).splitlines())) <= 80


@pytest.mark.parametrize("path", [(), ("annotate",), ("train",)])
def test_each_verb_has_one_line_in_the_list(path) -> None:
    group = COMMANDS.commands[path[0]] if path else COMMANDS
    listed = help_of(path).partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == list(group.commands)


def test_help_goes_before_mistakes_but_not_behind_two_dashes(dialeval: Command) -> None:
    assert dialeval("compare", "--no-such", "-h").out.startswith("Usage: dialeval compare [OPTIONS] A B\n")
    assert dialeval("data", "--help").out.startswith("Usage: dialeval data [OPTIONS] COMMAND ...\n")
    assert not wants_help(["a", "--", "-h"])


@pytest.mark.parametrize("path", [(), ("train",), ("annotate", "serve")])
def test_help_is_read_from_the_documentation_unless_a_module_is_newer(monkeypatch, path) -> None:
    monkeypatch.setattr("dialeval.cli.parsing.lines._is_older", lambda page: False)
    assert _written_help(path) == help_of(path)
    monkeypatch.setattr("dialeval.cli.parsing.lines._is_older", lambda page: True)
    assert (_written_help(path) is None) is in_clone()
    monkeypatch.setenv("COLUMNS", "60")
    assert _written_help(path) is None


def test_a_page_is_older_than_a_module_that_was_changed_later(tmp_path, monkeypatch) -> None:
    module, page = tmp_path / "cli" / "score.py", tmp_path / "cli.md"
    module.parent.mkdir()
    monkeypatch.setattr("dialeval.cli.parsing.lines._PACKAGE", tmp_path)
    for path, changed in ((page, 1000), (module, 1030)):
        path.touch()
        os.utime(path, (changed, changed))
    assert not _is_older(page)
    os.utime(module, (2000, 2000))
    assert _is_older(page)


@pytest.mark.parametrize("words", [(), ("data",)])
def test_without_a_verb_help_is_printed_and_the_code_is_2(dialeval: Command, words) -> None:
    done = dialeval(*words)
    assert done.code == 2
    assert done.out == dialeval(*words, "--help").out
    assert done.err == ""


@pytest.mark.parametrize(
    ("words", "verbs"), [(["--help"], set()), (["train", "--help"], set()), (["init", "-h"], {"init"})]
)
def test_help_of_all_verbs_imports_none_and_help_of_one_no_other(words, verbs) -> None:
    code = (
        f"import sys; sys.argv = ['dialeval', *{words!r}]\nfrom dialeval.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('modules:', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("modules:")[2].split()
    modules = {name.split(".")[2] for name in loaded if name.startswith("dialeval.cli.")}
    assert modules & COMMANDS.commands.keys() <= verbs
    assert {"typer", "click", "rich"}.isdisjoint(loaded)
