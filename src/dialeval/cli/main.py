"""The ``dialeval`` command: its verbs, and how errors and warnings reach a person."""

from __future__ import annotations

import atexit
import errno
import gc
import inspect
import logging
import os
import sys
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any, Final, TextIO

import typer
from typer.core import TyperGroup

from dialeval.cli.parsing import spare_conversions
from dialeval.cli.workshop import INTERRUPTED, interruption, keeps
from dialeval.errors import DialevalError, first_line
from dialeval.version import __version__

_SCORE: Final = "'dialeval score FILE' for one file of responses, or 'dialeval run STUDY' for several systems"
NEAR_VERBS: Final = {
    **dict.fromkeys(("evaluate", "eval", "measure", "metrics", "bleu", "rouge"), _SCORE),
    **dict.fromkeys(("rank", "leaderboard", "benchmark", "test", "study"), "'dialeval run STUDY'"),
    **dict.fromkeys(("new", "create", "start", "setup"), "'dialeval init FILE...'"),
    **dict.fromkeys(("diff", "significance", "ab", "versus"), "'dialeval compare A B'"),
    **dict.fromkeys(("correlate", "correlation", "validate-metrics"), "'dialeval meta'"),
    **dict.fromkeys(("agreement", "kappa"), "'dialeval annotate agreement FILE'"),
    **dict.fromkeys(("convert", "import", "export"), "'dialeval data convert FILE OUT'"),
    **dict.fromkeys(("validate", "check", "lint"), "'dialeval data validate FILE'"),
    **dict.fromkeys(("html", "show", "view", "render"), "'dialeval report FOLDER'"),
    **dict.fromkeys(("talk", "converse", "ask"), "'dialeval chat SYSTEM'"),
    **dict.fromkeys(("judge", "llm-judge", "grade"), "'dialeval score FILE -m judge.py:Judge' (docs/own.md)"),
    **dict.fromkeys(("ls", "list"), "'dialeval data ls', 'dialeval systems ls' or 'dialeval resources ls'"),
    **dict.fromkeys(("serve", "annotation", "label", "rate"), "'dialeval annotate'"),
    **dict.fromkeys(("download", "install", "models"), "'dialeval resources ls'"),
}
"""What verbs of other tools are called here."""


class _Verbs(TyperGroup):
    """The verbs, and what happens when one of them is interrupted."""

    def parse_args(self, context: Any, arguments: list[str]) -> Any:
        spare_conversions(self, context)
        return super().parse_args(context, arguments)

    def resolve_command(self, context: Any, arguments: list[str]) -> Any:
        """The verb, or what a word from another tool is called here."""
        meant = NEAR_VERBS.get(arguments[0].lower()) if arguments else None
        if meant is not None and self.get_command(context, arguments[0]) is None:
            context.fail(f"No such command {arguments[0]!r}. Did you mean {meant}?")
        return super().resolve_command(context, arguments)

    def invoke(self, context: Any) -> Any:
        keeps(None)
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            print(interruption(), file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None


VERBS: Final = {
    "demo": "demo:demo",
    "init": "init:init",
    "run": "run:run",
    "score": "score:score",
    "merge": "merge:merge",
    "compare": "compare:compare",
    "meta": "meta.app:meta",
    "report": "report:report",
    "chat": "chat:chat",
    "annotate": "annotate.app:app",
    "consistency": "consistency.app:app",
    "data": "data:app",
    "nbest": "nbest.app:app",
    "nlg": "nlg.app:app",
    "resources": "resources:app",
    "select": "select.app:app",
    "systems": "systems:app",
    "train": "train.app:app",
    "doctor": "doctor:doctor",
}
"""Each verb, and the function or the group of further verbs behind it."""


def app_of(verbs: Iterable[str] = VERBS) -> typer.Typer:
    """The command with these verbs, of which the others are not imported."""
    app = typer.Typer(
        name="dialeval",
        cls=_Verbs,
        help="Which dialogue system is better, and can you trust the number?\n\nExample: dialeval demo",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for verb in verbs:
        module, _, name = VERBS[verb].partition(":")
        behind = getattr(import_module(f"dialeval.cli.{module}"), name)
        if isinstance(behind, typer.Typer):
            app.add_typer(behind, name=verb)
        else:
            app.command(verb)(behind)
    _unwrap_help(app)
    return app


def _unwrap_help(app: typer.Typer) -> None:
    """Join the lines of each paragraph of the commands' help, which typer would print as docstrings break them."""
    for command in app.registered_commands:
        text = command.help or inspect.getdoc(command.callback) or ""
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _unwrap_help(group.typer_instance)


def main() -> None:
    """Run the command line; errors that a user can fix are printed without a traceback, and exit with 1."""
    _start_lightly()
    warnings.showwarning = _print_warning
    _print_notes()
    asked = sys.argv[1:2]
    try:
        app_of(asked if asked and asked[0] in VERBS else VERBS)()
    except DialevalError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except MemoryError as error:
        print(f"error: {_out_of_memory(error)}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in _FULL:
            print(f"error: {_full(error)}", file=sys.stderr)
            sys.exit(1)
        if error.filename is None:
            raise
        print(
            f"error: {error.filename}: {error.strerror}. Check the path and its permissions.",
            file=sys.stderr,
        )
        sys.exit(1)


def _start_lightly() -> None:
    """Settings of the interpreter and of numpy under which a small command takes less, and a large one no more."""
    # Modules that are being imported leave next to no cycles, and what is alive when the program ends goes with it.
    gc.set_threshold(30_000)
    atexit.register(gc.freeze)
    # Threads of linear algebra that have nothing to do sleep after a millisecond; else they first spin for a while,
    # also when numpy is only being loaded. In powers of two of the processor's cycles.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")


_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


def _full(error: OSError) -> str:
    """What to do about a full disk: the system does not say which file did not fit."""
    place = f"{error.filename}: " if error.filename else ""
    return (
        f"{place}{error.strerror}. Free some space, and give the same command again: finished parts are kept."
    )


def _out_of_memory(error: MemoryError) -> str:
    why = f" ({first_line(error)})" if str(error) else ""
    return (
        f"Out of memory{why}. Close other programs, give fewer --jobs or less data, and give the same command again: "
        "finished parts are kept."
    )


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"dialeval {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
    unpack_ratio: Annotated[
        float | None,
        typer.Option(
            "--unpack-ratio",
            min=1.0,
            help="Refuse packed files (gzip, xlsx, Parquet) that unpack to more than 256 MiB and so many times their "
            "size; 200 by default.",
        ),
    ] = None,
) -> None:
    if unpack_ratio is not None:
        from dialeval.data.codec.limits import allow_ratio

        allow_ratio(unpack_ratio)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"warning: {message}", file=sys.stderr)


class _Notes(logging.Handler):
    """Prints how a file is read where that is not the usual way."""

    def emit(self, record: logging.LogRecord) -> None:
        print(f"note: {record.getMessage()}", file=sys.stderr)


def _print_notes() -> None:
    logger = logging.getLogger("dialeval.data")
    logger.setLevel(logging.INFO)
    if not any(isinstance(handler, _Notes) for handler in logger.handlers):
        logger.addHandler(_Notes())
