"""Command lines: which verb is called, and with which values."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from dialeval.cli.parsing.parameters import BadUsage, Parameter, Values, arguments_of, parameters_of
from dialeval.cli.verbs import COMMANDS, NEAR_VERBS, Group, Verb
from dialeval.data.codec.sources import allow_ratio
from dialeval.errors import CLONE, UnknownName, in_clone
from dialeval.options import Argument, Option
from dialeval.version import __version__

_PACKAGE: Final = Path(__file__).parents[2]
HELP: Final = ("-h", "--help")


def run(words: Sequence[str]) -> None:
    """Call the verb that the words name, or print help; exit with 2 if the words are no usage of a verb."""
    path: list[str] = []
    try:
        _run(list(words), path)
    except BadUsage as error:
        print(f"error: {error}\nTry '{' '.join(('dialeval', *path))} --help'.", file=sys.stderr)
        sys.exit(2)


def _run(words: list[str], path: list[str]) -> None:
    """Call the verb; ``path`` is filled with the names of the group and the verb as they are found."""
    values: Values = {}
    before = parameters_of(main_options)
    options = _options_by_name(before)
    while words and words[0].startswith("-") and words[0] not in HELP:
        _take_option(options, words, values)
    main_options(**arguments_of(before, values))
    command: Verb | Group = COMMANDS
    while isinstance(command, Group):
        if not words or words[0] in HELP:
            _print_help(path)
            sys.exit(0 if words else 2)
        command = named(words[0], command, path)
        path.append(words.pop(0))
    if wants_help(words):
        _print_help(path)
        return
    function = command.function
    function(**values_of(function, words))


def main_options(
    unpack_ratio: Annotated[
        float | None,
        Option(
            "--unpack-ratio",
            min=1.0,
            metavar="N",
            help="Refuse packed files (gzip, xlsx, Parquet) that unpack to more than 256 MiB and so many times their "
            "size.",
            show_default="200",
        ),
    ] = None,
    version: Annotated[bool, Option("--version", help="Print the version.")] = False,
) -> None:
    """Follow the options that stand before the verb."""
    if version:
        print(f"dialeval {__version__}")
        sys.exit()
    if unpack_ratio is not None:
        allow_ratio(unpack_ratio)


def named(word: str, group: Group, path: Sequence[str] = ()) -> Verb | Group:
    """Return the command of that name in a group, or raise `BadUsage` with the name that was meant."""
    if word in group.commands:
        return group.commands[word]
    if word.startswith("-"):
        raise BadUsage(str(UnknownName("option", word.partition("=")[0], HELP)))
    meant = None if path else NEAR_VERBS.get(word.lower())
    unknown = UnknownName("command", word, () if meant else group.commands)
    raise BadUsage(f"{unknown} Did you mean {meant}?" if meant else str(unknown))


def wants_help(words: Sequence[str]) -> bool:
    """Whether the words behind a verb ask for its help."""
    own = words[: words.index("--")] if "--" in words else words
    return any(word in HELP for word in own)


def _print_help(path: Sequence[str]) -> None:
    written = _written_help(path)
    if written is None:
        from dialeval.cli.parsing.help import help_of  # imports the verb, and all that it calls

        written = help_of(path)
    print(written)


def pages_folder() -> Path:
    """Return the folder of the documentation: that of the package, or of the clone that it runs from."""
    return CLONE / "docs" if in_clone() else _PACKAGE / "docs"


def _written_help(path: Sequence[str]) -> str | None:
    """Return the help of a verb or group as ``docs/cli.md`` has it; None if it has none that fits, or is older."""
    page = pages_folder() / "cli.md"
    if shutil.get_terminal_size().columns < 80 or not page.is_file() or (in_clone() and _is_older(page)):
        return None
    heading = f"\n## {' '.join(('dialeval', *path))}\n\n```text\n"
    _, found, below = page.read_text(encoding="utf-8").partition(heading)
    return below.partition("\n```\n")[0] if found else None


def _is_older(page: Path) -> bool:
    """Whether a module was changed after the page was written; a clone writes all files within some seconds."""
    written = page.stat().st_mtime + 60
    modules = (
        os.path.join(folder, name)
        for folder, _, names in os.walk(_PACKAGE)
        for name in names
        if name[-3:] == ".py"
    )
    return any(os.stat(module).st_mtime > written for module in modules)


def values_of(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any]:
    """Return the values of all parameters of a verb's function, or raise `BadUsage`."""
    parameters = parameters_of(function)
    values, free = _given(_options_by_name(parameters), list(words))
    for argument in (each for each in parameters if isinstance(each.declared, Argument)):
        if argument.several and free:
            values[argument.key], free = [argument.value(word) for word in free], []
        elif free:
            values[argument.key] = argument.value(free.pop(0))
    for missing in (each for each in parameters if each.required and each.key not in values):
        kind = "argument" if isinstance(missing.declared, Argument) else "option"
        raise BadUsage(f"Missing {kind} {missing.label}: {missing.help}")
    if free:
        raise BadUsage(f"Unexpected argument {free[0]!r}.")
    return arguments_of(parameters, values)


_Options = dict[str, tuple[Parameter, bool]]
"""The option of each name, and the value that the name gives it if it is a flag."""


def _options_by_name(parameters: Sequence[Parameter]) -> _Options:
    return {
        name: (parameter, on)
        for parameter in parameters
        for on, names in ((True, parameter.names), (False, parameter.declared.off))
        for name in names
    }


def _given(options: _Options, words: list[str]) -> tuple[Values, list[str]]:
    """Return the values of the options among the words, and the other words."""
    values: Values = {}
    free: list[str] = []
    while words:
        if words[0] == "--":
            return values, [*free, *words[1:]]
        if words[0].startswith("-") and words[0] != "-":
            _take_option(options, words, values)
        else:
            free.append(words.pop(0))
    return values, free


def _take_option(options: _Options, words: list[str], values: Values) -> None:
    """Move the option that the words begin with to the values."""
    word = words.pop(0)
    long = word.startswith("--")
    name, joined, text = word.partition("=") if long else (word[:2], word[2:], word[2:].removeprefix("="))
    if name not in options:
        raise BadUsage(str(UnknownName("option", name, (*options, *HELP))))
    parameter, on = options[name]
    if parameter.flag and joined:
        raise BadUsage("takes no value", name)
    if parameter.flag:
        values[parameter.key] = on
        return
    if not joined:
        if not words or words[0] in options:
            raise BadUsage("needs a value", name)
        text = words.pop(0)
    value = parameter.value(text)
    if parameter.several:
        values.setdefault(parameter.key, []).append(value)
    else:
        values[parameter.key] = value
