"""Words of a command line become the values that the verb declares, or a line that says what is wrong with them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from dialeval.cli.parsing.lines import values_of
from dialeval.cli.parsing.parameters import BadUsage, parameters_of
from dialeval.cli.verbs import COMMANDS, NEAR_VERBS, Group
from dialeval.options import Argument, Option, Options
from support.command import Command


def verb(
    source: Annotated[str, Argument(help="A file.")],
    others: Annotated[list[Path] | None, Argument(help="More files.", metavar="FILE...")] = None,
    seed: Annotated[int, Option("--seed", min=0, help="A seed.")] = 7,
    share: Annotated[float | None, Option("--share", "-s", min=0, max=1, help="A share.")] = None,
    metric: Annotated[list[str] | None, Option("--metric", "-m", help="A metric.")] = None,
    how: Annotated[Literal["auto", "dialogue"], Option("--how", help="How.")] = "auto",
    out: Annotated[Path | None, Option("--out", "-o", help="A folder.")] = None,
    resume: Annotated[bool, Option("--resume/--no-resume", help="Resume.")] = True,
    ask: Annotated[bool | None, Option("--ask/--use-cache", help="Ask.")] = None,
    json: Annotated[bool, Option("--json", help="JSON.")] = False,
) -> None:
    """Do nothing."""


DEFAULTS = {
    "source": "a",
    "others": None,
    "seed": 7,
    "share": None,
    "metric": None,
    "how": "auto",
    "out": None,
    "resume": True,
    "ask": None,
    "json": False,
}


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("a", {}),
        ("-", {"source": "-"}),
        ("a b c", {"others": [Path("b"), Path("c")]}),
        ("--seed 3 a", {"seed": 3}),
        ("a --seed=3 --seed=4", {"seed": 4}),
        ("a --share 0.5", {"share": 0.5}),
        ("a -s0.5", {"share": 0.5}),
        ("a -s=1", {"share": 1.0}),
        ("-m x a -my --metric=z", {"metric": ["x", "y", "z"]}),
        ("a -m -1", {"metric": ["-1"]}),
        ("a --metric=--json", {"metric": ["--json"]}),
        ("a --metric=", {"metric": [""]}),
        ("a --how dialogue", {"how": "dialogue"}),
        ("a -o new/folder", {"out": Path("new/folder")}),
        ("a --no-resume --ask --json", {"resume": False, "ask": True, "json": True}),
        ("a --resume --no-resume --use-cache", {"resume": False, "ask": False}),
        ("--json -- -a --seed", {"json": True, "source": "-a", "others": [Path("--seed")]}),
    ],
)
def test_words_become_the_values_that_the_verb_declares(line: str, changed: dict[str, object]) -> None:
    values = values_of(verb, line.split())
    expected = {**DEFAULTS, **changed}
    assert values == expected
    assert {name: type(value) for name, value in values.items()} == {
        name: type(value) for name, value in expected.items()
    }


@dataclass(frozen=True)
class Pace:
    """A pace."""

    epochs: Annotated[int, Option(min=1)] = 3
    """Passes over the ``corpus``, of
    which there is one.

    More of it.
    """
    warm_up: int = 100
    """Not an option."""
    rates: Annotated[tuple[float, ...], Option("--rate")] = ()
    """Rates. Repeatable."""
    drop: Annotated[bool, Option("--drop/--no-drop")] = True
    """Whether to drop."""


def paced(
    name: Annotated[str, Argument(help="A name.")],
    pace: Pace,
    slow: Annotated[Pace, Options("epochs", epochs=Option("--slow-epochs", metavar="N"))] = Pace(  # noqa: B008
        epochs=9, warm_up=7
    ),
) -> None:
    """Do nothing."""


@pytest.mark.parametrize(
    ("line", "pace", "slow"),
    [
        ("a", Pace(), Pace(9, 7)),
        ("--epochs 2 a --rate 1 --rate=.5 --no-drop", Pace(2, 100, (1.0, 0.5), False), Pace(9, 7)),
        ("--slow-epochs 2 a", Pace(), Pace(2, 7)),
    ],
)
def test_declared_fields_of_a_dataclass_are_options_and_others_keep_their_values(line, pace, slow) -> None:
    assert values_of(paced, line.split()) == {"name": "a", "pace": pace, "slow": slow}


def test_docstrings_of_fields_are_the_help() -> None:
    assert {each.label: each.help for each in parameters_of(paced)} == {
        "NAME": "A name.",
        "--epochs": "Passes over the corpus, of which there is one.",
        "--rate": "Rates. Repeatable.",
        "--drop": "Whether to drop.",
        "--slow-epochs": "Passes over the corpus, of which there is one.",
    }
    with pytest.raises(BadUsage, match="--epochs: found '0', expected a whole number, 1 or more"):
        values_of(paced, ["a", "--epochs", "0"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Missing argument SOURCE: A file."),
        ("--seed 3", "Missing argument SOURCE"),
        ("a --seed", "--seed: needs a value"),
        ("a --seed --json", "--seed: needs a value"),
        ("a --seed x", "--seed: found 'x', expected a whole number, 0 or more"),
        ("a --seed 1.0", "--seed: found '1.0', expected a whole number, 0 or more"),
        ("a --seed=", "--seed: found '', expected a whole number"),
        ("a --seed -1", "--seed: found '-1', expected a whole number, 0 or more"),
        ("a --share 2", "--share: found '2', expected a number from 0 to 1"),
        ("a -s nan", "--share: found 'nan', expected a number from 0 to 1"),
        ("a --how AUTO", "--how: found 'AUTO', expected auto or dialogue. Did you mean 'auto'?"),
        ("a --json=1", "--json: takes no value"),
        ("a --out=", "--out: found an empty name, expected one"),
        ("a --out a\0b", "--out: found 'a\\x00b', expected a file or folder that can be read"),
        ("a --metrik x", "There is no option called '--metrik'. Did you mean '--metric'?"),
        ("a -x", "There is no option called '-x'."),
        ("a --no-resume --no-json", "There is no option called '--no-json'."),
    ],
)
def test_what_cannot_be_followed_is_told_in_a_line(line: str, message: str) -> None:
    with pytest.raises(BadUsage) as refused:
        values_of(verb, line.split(" ") if line else [])
    assert str(refused.value).startswith(message)


def test_a_file_that_cannot_be_read_is_refused_and_one_that_is_new_is_not(tmp_path, monkeypatch) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(BadUsage, match="expected a file or folder that can be read"):
        values_of(verb, ["a", "-o", str(file)])
    assert values_of(verb, ["a", "-o", str(tmp_path / "new")])["out"] == tmp_path / "new"


def test_a_word_too_many_is_refused() -> None:
    def single(file: Annotated[str | None, Argument(help="A file.")] = None) -> None: ...

    assert values_of(single, []) == {"file": None}
    with pytest.raises(BadUsage, match="Unexpected argument 'b'"):
        values_of(single, ["a", "b", "c"])


def verbs(group: Group = COMMANDS, path: tuple[str, ...] = ()):
    for name, command in group.commands.items():
        if isinstance(command, Group):
            yield from verbs(command, (*path, name))
        else:
            yield pytest.param(command, id=" ".join((*path, name)))


@pytest.mark.parametrize("command", list(verbs()))
def test_every_verb_declares_parameters_that_can_be_told_apart(command) -> None:
    parameters = parameters_of(command.function)
    options = [each for each in parameters if isinstance(each.declared, Option)]
    names = [name for option in options for name in (*option.names, *option.declared.off)]
    assert len(names) == len(set(names))
    assert {"-h", "--help"}.isdisjoint(names)
    assert all(each.help for each in parameters)
    several = [each.several for each in parameters if isinstance(each.declared, Argument)]
    assert not any(several[:-1]), "an argument behind one that takes all words gets none"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("scroe x", "There is no command called 'scroe'. Did you mean 'score'?\nTry 'dialeval --help'.\n"),
        ("data vaildate x", "Did you mean 'validate'?\nTry 'dialeval data --help'.\n"),
        ("leaderboard", "Did you mean 'dialeval run STUDY'?\nTry 'dialeval --help'.\n"),
        ("data --json", "There is no option called '--json'.\nTry 'dialeval data --help'.\n"),
        ("--versoin", "no option called '--versoin'. Did you mean '--version'?\nTry 'dialeval --help'.\n"),
        ("--unpack-ratio 0 data ls", "--unpack-ratio: found '0', expected a number, 1.0 or more\nTry"),
        ("run", "Missing argument STUDY.YAML: The study file.\nTry 'dialeval run --help'.\n"),
        (
            "data validate",
            "Missing argument FILE: The file, or - for standard input.\nTry 'dialeval data val",
        ),
        (
            "score a --per-turn t --out b",
            "--out: cannot be combined with --per-turn\nTry 'dialeval score --help'.\n",
        ),
    ],
)
def test_wrong_usage_is_a_line_and_the_way_to_the_help(dialeval: Command, line: str, said: str) -> None:
    done = dialeval(*line.split())
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert said in done.err
    assert len(done.err.splitlines()) == 2


def test_no_word_on_the_command_line_steers_the_terminal(dialeval: Command) -> None:
    for line in (["score", "--cluster", "\x1b[31m"], ["\x1b]0;x"], ["score", "--\x1b[31m"]):
        done = dialeval(*line)
        assert done.code == 2
        assert "\x1b" not in done.err


def test_verbs_of_other_tools_are_none_of_ours() -> None:
    assert NEAR_VERBS.keys().isdisjoint(COMMANDS.commands)


def test_a_verb_called_llm_judge_leads_to_the_metric(dialeval: Command) -> None:
    done = dialeval("llm-judge", "answers.jsonl")
    assert done.code == 2
    assert '-m "judge(model=..., base_url=...)"' in done.err
    assert "dialeval docs judge" in done.err


def test_options_before_the_verb_are_followed(dialeval: Command) -> None:
    assert dialeval("--unpack-ratio", "300", "data", "ls").code == 0
    assert dialeval("--unpack-ratio=300", "--version").out.startswith("dialeval ")


def test_an_interrupted_verb_says_what_is_kept(dialeval: Command, monkeypatch) -> None:
    Path("a.jsonl").write_text('{"id": "1", "context": [], "response": "a", "references": ["a"]}\n')

    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("dialeval.cli.scoring.evaluate", interrupted)
    stopped = dialeval("score", "a.jsonl")
    assert stopped.code == 130
    assert stopped.err == ("Interrupted. What was computed is kept: the same command resumes from there.\n")


@pytest.mark.parametrize("through", ["True", "False"])
def test_a_closed_pipe_ends_quietly(tmp_path, through: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "1", "context": [], "response": "a", "references": ["a"]}\n')
    script = (
        "import os, sys; from dialeval.cli import main\n"
        "reading, writing = os.pipe(); os.close(reading); os.dup2(writing, 1)\n"
        f"sys.argv = ['dialeval', 'score', {str(file)!r}, '--json', '--no-resume', '-m', 'length']\n"
        f"sys.stdout.reconfigure(write_through={through})\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
