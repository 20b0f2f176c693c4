"""Do the automatic measures agree with people, and can the people be trusted?

    ratings = read_judgements(["people.jsonl", "runs/mine"])
    joined = join(ratings, "overall")
    for row in correlate(joined, levels=["system", "item"]):
        print(row.measure, row.level, row.spearman, row.low, row.high, row.warnings)

People and measures are both raters in one table of judgements (`Ratings`); `join` puts them on the same axes. `examine`
asks everything at once, as ``dialeval meta`` does; `agreement_of` asks about the people alone.
"""

from __future__ import annotations

from dialeval.meta.aggregating import (
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
from dialeval.meta.agreement import CriterionAgreement, agreement_of
from dialeval.meta.ceiling import Ceiling, LeftOut, leave_one_out, split_half
from dialeval.meta.classes import Cut, collapse
from dialeval.meta.clusters import clusters, with_clusters
from dialeval.meta.combining import Combination, linear_combination, zscore_average
from dialeval.meta.dropping import Dropped, drop_raters
from dialeval.meta.estimating import Estimates, estimate_systems
from dialeval.meta.examining import Findings, examine
from dialeval.meta.inquiry import Inquiry
from dialeval.meta.instability import FiveNumbers, Instability, over_scores, over_test_sets
from dialeval.meta.instances import InstanceValidation, validate_instances
from dialeval.meta.joining import Grid, Joined, MeasureGrid, Unjoined, join, system_identity
from dialeval.meta.levels import LEVELS, Level, Row, correlate
from dialeval.meta.measure_planning import (
    correlation_by_raters,
    power_between_measures,
    width_of_correlation,
)
from dialeval.meta.nbest_shares import NBestValidation, validate_nbest
from dialeval.meta.planning import power_of_items, power_of_raters
from dialeval.meta.plans import Plan, plans
from dialeval.meta.qualifying import Qualification, gold_answers, qualify
from dialeval.meta.raters import KappaTable, pairwise_kappas
from dialeval.meta.ratings import Ratings
from dialeval.meta.reading import read_judgements
from dialeval.meta.rivals import Rivalry, compare_measures
from dialeval.meta.vote_steps import Collapse, Count, DropIf, Fewer, Relabel, Spread

__all__ = [
    "LEVELS",
    "AtLeast",
    "Ceiling",
    "Collapse",
    "Combination",
    "Count",
    "CriterionAgreement",
    "Cut",
    "DropIf",
    "Dropped",
    "Else",
    "Estimates",
    "Fewer",
    "Findings",
    "FiveNumbers",
    "Grid",
    "Inquiry",
    "Instability",
    "InstanceValidation",
    "Joined",
    "KappaTable",
    "LeftOut",
    "Level",
    "Majority",
    "Mean",
    "MeasureGrid",
    "Median",
    "NBestValidation",
    "Plan",
    "Plurality",
    "Qualification",
    "Ratings",
    "Relabel",
    "Rivalry",
    "Row",
    "Spread",
    "Then",
    "Unanimous",
    "Unjoined",
    "Unsettled",
    "aggregate",
    "agreement_of",
    "clusters",
    "collapse",
    "compare_measures",
    "correlate",
    "correlation_by_raters",
    "drop_raters",
    "estimate_systems",
    "examine",
    "gold_answers",
    "join",
    "leave_one_out",
    "linear_combination",
    "over_scores",
    "over_test_sets",
    "pairwise_kappas",
    "plans",
    "power_between_measures",
    "power_of_items",
    "power_of_raters",
    "qualify",
    "read_judgements",
    "split_half",
    "system_identity",
    "validate_instances",
    "validate_nbest",
    "width_of_correlation",
    "with_clusters",
    "zscore_average",
]
