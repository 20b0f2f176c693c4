"""Help of the command line, of a group of verbs and of a verb, as plain text in 80 columns."""

from __future__ import annotations

import inspect
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import fill, wrap
from typing import Final

from dialeval.cli.parsing.lines import main_options, named
from dialeval.cli.parsing.parameters import Parameter, parameters_of
from dialeval.cli.verbs import COMMANDS, Group, Verb
from dialeval.options import Argument, Option

_EXAMPLE: Final = "Example: "
_TERMS: Final = 26
"""Columns of the names of options, before what is said of them."""
_JOINED: Final = "\xa0"
"""A space at which no line is broken."""
_METAVARS: Final = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


def help_of(path: Sequence[str] = ()) -> str:
    """Return the help of the verb or group with these names; of all verbs for none."""
    command: Verb | Group = COMMANDS
    for name in path:
        if isinstance(command, Group):
            command = named(name, command)
    program = " ".join(("dialeval", *path))
    if isinstance(command, Verb):
        return "\n".join(_of_verb(program, command))
    return "\n".join(_of_group(program, command, parameters_of(main_options) if not path else ()))


def _width() -> int:
    return max(40, min(80, shutil.get_terminal_size().columns))


def _of_verb(program: str, verb: Verb) -> Iterator[str]:
    function = verb.function
    parameters = parameters_of(function)
    arguments = [each for each in parameters if isinstance(each.declared, Argument)]
    paragraphs = [" ".join(each.split()) for each in (inspect.getdoc(function) or "").split("\n\n")]
    yield from _usage(" ".join([program, "[OPTIONS]", *map(_placeholder, arguments)]))
    for paragraph in paragraphs:
        if not paragraph.startswith(_EXAMPLE):
            yield from ("", fill(paragraph, _width()))
    yield from _examples([each.removeprefix(_EXAMPLE) for each in paragraphs if each.startswith(_EXAMPLE)])
    if arguments:
        yield from ("", "Arguments:")
        for argument in arguments:
            yield from _entry(argument.label, _explained(argument))
    yield from _options([each for each in parameters if isinstance(each.declared, Option)])


def _of_group(program: str, group: Group, options: Sequence[Parameter]) -> Iterator[str]:
    yield from _usage(f"{program} [OPTIONS] COMMAND ...")
    yield from ("", fill(group.summary, _width()))
    yield from _examples([group.example])
    yield from ("", "Commands:")
    for name, command in group.commands.items():
        yield from _entry(name, command.summary, columns=2 + max(map(len, group.commands)) + 2)
    yield from _options(options)


def _usage(text: str) -> Iterator[str]:
    yield fill(f"Usage: {text}", _width(), subsequent_indent="  ")


def _examples(examples: Sequence[str]) -> Iterator[str]:
    shown = [line for example in examples for line in _command(example)]
    if shown:
        yield from ("", "Examples:" if len(examples) > 1 else "Example:", *shown)


def _command(text: str) -> Iterator[str]:
    """Yield the lines of a command, which can be copied as they are: long ones go on with an option."""
    line = "  dialeval"
    for part in _parts(text.removeprefix("dialeval ")):
        if len(f"{line} {part}") > _width() - 2:
            yield f"{line} \\"
            line = f"    {part}"
        else:
            line += f" {part}"
    yield line


def _parts(text: str) -> list[str]:
    """Return the words of a command as they are written, those of an option together."""
    lexer = shlex.shlex(text, posix=False, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    parts: list[str] = []
    for word in lexer:
        if parts and parts[-1].startswith("-") and " " not in parts[-1] and not word.startswith("-"):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    return parts


def _options(options: Iterable[Parameter]) -> Iterator[str]:
    yield from ("", "Options:")
    for option in options:
        yield from _entry(_term(option), _explained(option))
    yield from _entry("-h, --help", "Print this help.")


def _entry(term: str, text: str, columns: int = _TERMS) -> Iterator[str]:
    """Yield a term and its explanation beside it, or below it if the term is long."""
    indent = " " * columns
    lines = wrap(text, _width(), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    lines = [line.replace(_JOINED, " ") for line in lines]
    start = f"  {term}"
    if len(start) + 2 <= columns and lines:
        lines[0] = start.ljust(columns) + lines[0][columns:]
    else:
        yield start
    yield from lines


def _term(parameter: Parameter) -> str:
    """Return the names of an option and what stands for its value, as in ``-j, --jobs N``."""
    names = [*parameter.names, *parameter.declared.off]
    if not parameter.flag:
        names.sort(key=len)
    value = "" if parameter.flag else f" {_metavar(parameter)}"
    return f"{', '.join(names)}{value}"


def _metavar(parameter: Parameter) -> str:
    if parameter.declared.metavar:
        return parameter.declared.metavar
    return "|".join(parameter.choices) or _METAVARS[parameter.kind]


def _placeholder(argument: Parameter) -> str:
    shown = f"{argument.label}..." if argument.several else argument.label
    return shown if argument.required else f"[{shown}]"


def _explained(parameter: Parameter) -> str:
    """Return the help of a parameter, with its range and its default."""
    facts = [*_range(parameter), *_default(parameter)]
    if parameter.required and isinstance(parameter.declared, Option):
        facts.append("required")
    if not facts:
        return parameter.help
    shown = f"[{'; '.join(facts)}]"
    return f"{parameter.help} {shown if len(shown) > 40 else shown.replace(' ', _JOINED)}"


def _range(parameter: Parameter) -> Iterator[str]:
    least, most = parameter.declared.min, parameter.declared.max
    if least is not None and most is not None:
        yield f"{least:g} to {most:g}"
    elif least is not None:
        yield f"at least {least:g}"
    elif most is not None:
        yield f"at most {most:g}"


def _default(parameter: Parameter) -> Iterator[str]:
    declared, default = parameter.declared, parameter.default
    if isinstance(declared.show_default, str):
        yield f"default: {declared.show_default}"
    elif not declared.show_default or default in (None, "", ()) or (parameter.flag and not declared.off):
        return
    elif parameter.flag:
        yield f"default: {(parameter.names if default else declared.off)[0]}"
    else:
        shown = default if parameter.several else (default,)
        yield f"default: {', '.join(f'{each:g}' if isinstance(each, float) else str(each) for each in shown)}"
