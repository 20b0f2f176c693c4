"""Judgements by people and by measures in one table: reading, roles, scales, joining and agreement."""

from __future__ import annotations

from dialeval.ratings.agreement.coefficients import CriterionAgreement, agreement_of
from dialeval.ratings.agreement.dropping import Dropped, drop_raters
from dialeval.ratings.agreement.qualifying import Qualification, gold_answers, qualify
from dialeval.ratings.agreement.raters import KappaTable, pairwise_kappas
from dialeval.ratings.classes import Cut, collapse
from dialeval.ratings.joining import Grid, Joined, MeasureGrid, Unjoined, join, system_identity
from dialeval.ratings.reading import read_judgements
from dialeval.ratings.table import Ratings
from dialeval.ratings.votes.rules import (
    AtLeast,
    Else,
    Majority,
    Mean,
    Median,
    Plurality,
    Then,
    Unanimous,
    Unsettled,
    aggregate,
)
from dialeval.ratings.votes.steps import Collapse, Count, DropIf, Fewer, Relabel, Spread

__all__ = [
    "AtLeast",
    "Collapse",
    "Count",
    "CriterionAgreement",
    "Cut",
    "DropIf",
    "Dropped",
    "Else",
    "Fewer",
    "Grid",
    "Joined",
    "KappaTable",
    "Majority",
    "Mean",
    "MeasureGrid",
    "Median",
    "Plurality",
    "Qualification",
    "Ratings",
    "Relabel",
    "Spread",
    "Then",
    "Unanimous",
    "Unjoined",
    "Unsettled",
    "aggregate",
    "agreement_of",
    "collapse",
    "drop_raters",
    "gold_answers",
    "join",
    "pairwise_kappas",
    "qualify",
    "read_judgements",
    "system_identity",
]
