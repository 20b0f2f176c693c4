"""A plain command line calls its verb with the values that typer would give."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import wraps
from pathlib import Path

import pytest
from typer.main import get_command

from dialeval.cli import app_of
from dialeval.cli.parsing.plain_lines import plain_values
from dialeval.cli.parsing.verbs import behind

PLAIN = (
    "score a.jsonl",
    "score a.jsonl -m bleu",
    "score -m bleu a.jsonl -m rouge_l --json",
    "score --hyp a.txt --ref b.txt --ref c.txt --all",
    "score - --cluster dialogue --no-resume --cache kept --trials=0",
    "score a.jsonl --metric=bleu(order=2) --seed 7 -j 4 --fail-under bleu=0.1",
    "compare a.jsonl b.jsonl",
    "compare a b -m bleu --level 0.99 --margin bleu=0.02 --first-look",
    "compare a b --correction bh --cluster none --second-look look.json --trials 100",
)
TYPERS = (
    "score --help",
    "score a.jsonl b.jsonl",
    "score a.jsonl -mbleu",
    "score a.jsonl -m",
    "score a.jsonl --met bleu",
    "score a.jsonl -m -1",
    "score a.jsonl --trials -1",
    "score a.jsonl --trials 1.0",
    "score a.jsonl --trials=",
    "score a.jsonl --json=1",
    "score a.jsonl --json --json",
    "score a.jsonl --seed 1 --seed 2",
    "score a.jsonl --cluster AUTO",
    "score a.jsonl -- -m",
    "compare a",
    "compare a b --level 0.1",
    "data ls",
)


class Seen(Exception):
    """The values that a verb was called with."""


def by_typer(verb: str, words: list[str]) -> dict[str, object] | None:
    """What typer calls the verb with; None where it refuses, or helps."""

    @wraps(behind(verb))
    def show(**values):
        raise Seen(values)

    try:
        app_of([verb], {verb: show})([verb, *words], standalone_mode=False)
    except Seen as seen:
        return seen.args[0]
    except Exception:
        return None
    return None


def typed(values: dict[str, object]) -> dict[str, tuple[type, object]]:
    return {name: (type(value), value) for name, value in values.items()}


@pytest.mark.parametrize("line", PLAIN)
def test_usual_lines_are_plain_and_mean_what_typer_says(line):
    verb, *words = line.split()
    values = plain_values(behind(verb), words)
    assert values is not None
    assert typed(values) == typed(by_typer(verb, words))


@pytest.mark.parametrize("line", TYPERS)
def test_other_lines_are_left_to_typer(line):
    verb, *words = line.split()
    assert plain_values(behind(verb), words) is None


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_whatever_is_plain_means_what_typer_says(verb):
    command = get_command(app_of([verb])).commands[verb]
    names = [name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)]
    chance = random.Random(0)
    values = (
        "a.jsonl",
        "b",
        "0",
        "1",
        "7",
        "07",
        "0.5",
        "0.95",
        "1e3",
        "-",
        "none",
        "holm",
        "auto",
        "",
        "x y",
        ".",
        "é",
    )
    plain = 0
    for _ in range(400):
        words = [chance.choice((*names, *values * 2)) for _ in range(chance.randint(1, 5))]
        read = plain_values(behind(verb), words)
        if read is not None:
            plain += 1
            assert typed(read) == typed(by_typer(verb, words) or {}), words
    assert plain > 10


def test_what_typer_alone_can_tell_is_told_by_typer(dialeval, tmp_path, monkeypatch):
    Path("a.jsonl").write_text('{"id": "1", "context": [], "response": "a", "references": ["a"]}\n')
    refused = dialeval("score", "a.jsonl", "--out", "b")
    assert refused.code == 2
    assert "Invalid value for --out: it goes with --shard" in refused.err
    assert "Usage: " in refused.err

    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("dialeval.evaluation.runner.evaluate_each", interrupted)
    stopped = dialeval("score", "a.jsonl")
    assert stopped.code == 130
    assert stopped.err == ("Interrupted. What was computed is kept: the same command resumes from there.\n")


def test_a_closed_pipe_ends_quietly(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "1", "context": [], "response": "a", "references": ["a"]}\n')
    script = (
        "import os, sys; from dialeval.cli import main\n"
        "reading, writing = os.pipe(); os.close(reading); os.dup2(writing, 1)\n"
        f"sys.argv = ['dialeval', 'score', {str(file)!r}, '--json', '--no-resume', '-m', 'length']\n"
        "sys.stdout.reconfigure(write_through=True)\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
