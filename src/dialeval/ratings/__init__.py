"""Judgements by people and by measures in one table: reading, roles, scales, joining and agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.ratings.agreement.coefficients import CriterionAgreement, agreement_of, with_flags
    from dialeval.ratings.agreement.document import agreement_json
    from dialeval.ratings.agreement.dropping import Dropped, drop_raters
    from dialeval.ratings.agreement.intervals import Measured, Raters
    from dialeval.ratings.agreement.qualifying import Qualification, gold_answers, qualify
    from dialeval.ratings.agreement.raters import KappaTable, RaterAgreement, pairwise_kappas
    from dialeval.ratings.criteria import only_criterion, variants
    from dialeval.ratings.joined import Coverage, Grid, Joined, MeasureGrid, Unjoined
    from dialeval.ratings.joining import join, system_identity
    from dialeval.ratings.locating import located
    from dialeval.ratings.preferences import Preference, Preferred, read_preferences, strengths
    from dialeval.ratings.reading import choices_in, read_judgements, unvetted_notes
    from dialeval.ratings.repeats import Repeats
    from dialeval.ratings.roles import fits, measures_among
    from dialeval.ratings.scale import Cut, RatingScale, collapse
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
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = [
    "AtLeast",
    "Collapse",
    "Count",
    "Coverage",
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
    "Measured",
    "Median",
    "Plurality",
    "Preference",
    "Preferred",
    "Qualification",
    "RaterAgreement",
    "Raters",
    "RatingScale",
    "Ratings",
    "Relabel",
    "Repeats",
    "Spread",
    "Then",
    "Unanimous",
    "Unjoined",
    "Unsettled",
    "aggregate",
    "agreement_json",
    "agreement_of",
    "choices_in",
    "collapse",
    "drop_raters",
    "fits",
    "gold_answers",
    "join",
    "located",
    "measures_among",
    "only_criterion",
    "pairwise_kappas",
    "qualify",
    "read_judgements",
    "read_preferences",
    "strengths",
    "system_identity",
    "unvetted_notes",
    "variants",
    "with_flags",
]
