"""Plain values of options are what the parser would make of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from dialeval.cli import app_of
from dialeval.cli.parsing.conversions import _OTHER, plain_value
from dialeval.cli.parsing.verbs import VERBS

VALUES = (
    None,
    "",
    "-",
    "a",
    "A",
    "auto",
    "dialogue",
    "AUTO",
    "none",
    "1",
    "0.5",
    " 7",
    ".",
    "/no such file",
    "a/../b",
)


def parameters(command, path=()):
    for parameter in command.params:
        yield pytest.param(parameter, id=" ".join((*path, parameter.name)))
    for name, below in getattr(command, "commands", {}).items():
        yield from parameters(below, (*path, name))


def outcome(convert, value):
    """What comes of a value, and of what type; or what is said of it."""
    try:
        converted = convert(value)
    except typer.BadParameter as error:
        return error.message
    return type(converted), converted


@pytest.mark.parametrize("parameter", list(parameters(get_command(app_of(VERBS)))))
def test_a_value_is_taken_as_it_is_only_where_the_parser_gives_the_same(parameter):
    converter = parameter.get_runtime_param()
    given = [parameter.default, *VALUES]
    if parameter.multiple or parameter.nargs == -1:
        given = [None, (), *([value] for value in VALUES if value is not None), ("a", ".")]
    for value in given:
        plain = outcome(lambda value: plain_value(parameter, value), value)
        if plain[1] is not _OTHER:
            assert plain == outcome(lambda value: converter.coerce(value, parameter, None), value)


def test_what_cannot_be_read_is_left_to_the_parser(tmp_path, monkeypatch):
    (score,) = (
        command for name, command in get_command(app_of(["score"])).commands.items() if name == "score"
    )
    (cache,) = (parameter for parameter in score.params if parameter.name == "cache")
    assert plain_value(cache, str(tmp_path)) == tmp_path
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert plain_value(cache, str(tmp_path)) is _OTHER
    assert plain_value(cache, str(tmp_path / "new")) == tmp_path / "new"
    assert plain_value(cache, "a\0b") is _OTHER


def test_scoring_loads_no_converters(tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text(
        '{"id": "1", "context": [], "response": "a b", "references": ["a b"]}\n', encoding="utf-8"
    )
    script = (
        "import sys; from dialeval.cli import main\n"
        f"sys.argv = ['dialeval', 'score', {str(file)!r}, '-m', 'bleu', '--no-resume', '--json']\n"
        "try: main()\n"
        "finally: print(*{'pydantic', 'scipy', 'numba', 'pyarrow', 'rich'} & sys.modules.keys(), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    assert done.stderr.split() == []
