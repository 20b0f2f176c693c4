"""The self-contained HTML page of ``dialeval select ask``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dialeval.display.pages import asset, policy, template
from dialeval.display.table import Table
from dialeval.selection.document import AskedDocument, ChoiceRow, ErrorLabel, Quoted
from dialeval.selection.report import pictures, tables
from dialeval.selection.report.hardest import hardest


@dataclass(frozen=True, slots=True)
class Examples:
    """Wrong choices quoted under what is wrong with them."""

    label: str
    quoted: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class ErrorView:
    """One system's errors as a page shows them."""

    table: Table
    examples: tuple[Examples, ...]


def error_views(found: Iterable[tuple[str, tuple[ErrorLabel, ...]]]) -> list[ErrorView]:
    """What a page shows of each system's errors; nothing of a system without labels."""
    return [
        ErrorView(
            tables.errors(system, labels),
            tuple(
                Examples(label.label or tables.UNLABELLED, label.examples)
                for label in labels
                if label.examples
            ),
        )
        for system, labels in found
        if labels
    ]


def page_of(document: AskedDocument, choices: Iterable[ChoiceRow]) -> str:
    """The page of what was asked and chosen."""
    from markupsafe import Markup

    style = asset("page.css")
    return template("dialeval.selection.report", "selection.html").render(
        document=document,
        ranking=tables.ranking(document),
        pairs=tables.pairs(document),
        failures=tables.failures(document),
        trials=tables.trials(document.trials) if document.trials else None,
        plots=pictures.trial_plots(document.trials) if document.trials else [],
        hardest=hardest(choices),
        errors=error_views((row.system, row.errors) for row in document.results),
        style=Markup(style),
        policy=policy(style=style),
    )
