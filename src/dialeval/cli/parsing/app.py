"""The command line as typer knows it: all verbs, or those that are needed."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from dialeval.cli.parsing.conversions import spare_conversions
from dialeval.cli.parsing.declaring import for_typer
from dialeval.cli.parsing.verbs import VERBS, behind
from dialeval.cli.workshop import INTERRUPTED, interruption
from dialeval.display.streams import printable, printable_streams
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
    **dict.fromkeys(
        ("judge", "llm-judge", "grade"), "'dialeval score FILE -m judge.py:Judge' ('dialeval docs own')"
    ),
    **dict.fromkeys(("help", "manual", "man", "documentation"), "'dialeval docs' or 'dialeval --help'"),
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
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            print(interruption(), file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None


def app_of(
    verbs: Iterable[str] = VERBS, instead: Mapping[str, Callable[..., Any]] | None = None
) -> typer.Typer:
    """The command with these verbs, of which the others are not imported; ``instead`` of some, others are called."""
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
        function = (instead or {}).get(verb) or behind(verb)
        if isinstance(function, typer.Typer):
            app.add_typer(function, name=verb)
        else:
            app.command(verb)(function)
    _prepare(app)
    return app


def _prepare(app: typer.Typer) -> None:
    """Tell typer of the parameters, and join lines of the help, which it would print as docstrings break them."""
    for command in app.registered_commands:
        command.callback = command.callback and _printable(for_typer(command.callback))
        text = command.help or inspect.getdoc(command.callback) or ""
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _prepare(group.typer_instance)


def _printable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a verb, which prints nothing that could steer a terminal."""

    @wraps(function)
    def called(**values: Any) -> Any:
        with printable_streams():
            try:
                return function(**values)
            except typer.BadParameter as error:
                raise typer.BadParameter(
                    printable(error.message), error.ctx, error.param, error.param_hint
                ) from None

    return called


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
