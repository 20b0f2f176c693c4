"""The section of a study's page about a judge's verdicts on pairs; computes nothing."""

from __future__ import annotations

from dialeval.display.pages import Section, template
from dialeval.judge.pair_record import PairsRecord, pair_notes
from dialeval.ratings.pairwise_tables import pairwise_tables


def pairs_section(record: PairsRecord) -> Section:
    """Win rates, strengths, what moves the verdicts, the agreement of raters, and the canary."""
    *_, canary = pair_notes(record)
    tables = list(pairwise_tables(record.results)) if record.results else []
    html = template("dialeval.judge", "pairs.html").render(
        criterion=record.rubric, tables=tables, canary=canary
    )
    return Section("pairs", "Pairs", "Answers judged pair by pair", html)
