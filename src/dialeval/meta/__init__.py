"""Do the automatic measures agree with people, and can the people be trusted?

    ratings = read_judgements(["people.jsonl", "runs/mine"])
    joined = join(ratings, "overall")
    for row in correlate(joined, levels=["system", "item"]):
        print(row.measure, row.level, row.spearman, row.low, row.high, row.warnings)

People and measures are both raters in one table of judgements (`Ratings`); `join` puts them on the same axes. `examine`
asks everything at once, as ``dialeval meta`` does; `agreement_of` asks about the people alone.
"""

from __future__ import annotations

from dialeval.meta.correlation.ceiling import Ceiling, LeftOut, leave_one_out, split_half
from dialeval.meta.correlation.instability import FiveNumbers, Instability, over_test_sets
from dialeval.meta.correlation.levels import LEVELS, Level, Row, correlate
from dialeval.meta.correlation.rank_groups import clusters, with_clusters
from dialeval.meta.correlation.rivals import Rivalry, compare_measures
from dialeval.meta.estimation.combining import Combination, linear_combination, zscore_average
from dialeval.meta.estimation.estimating import Estimates, estimate_systems
from dialeval.meta.examine import Findings, examine
from dialeval.meta.inquiry import Inquiry
from dialeval.meta.instances.instances import InstanceValidation, validate_instances
from dialeval.meta.instances.nbest_shares import NBestValidation, validate_nbest
from dialeval.meta.planning.measures import (
    correlation_by_raters,
    power_between_measures,
    width_of_correlation,
)
from dialeval.meta.planning.plans import Plan, plans
from dialeval.meta.planning.ratings import power_of_items, power_of_raters

__all__ = [
    "LEVELS",
    "Ceiling",
    "Combination",
    "Estimates",
    "Findings",
    "FiveNumbers",
    "Inquiry",
    "Instability",
    "InstanceValidation",
    "LeftOut",
    "Level",
    "NBestValidation",
    "Plan",
    "Rivalry",
    "Row",
    "clusters",
    "compare_measures",
    "correlate",
    "correlation_by_raters",
    "estimate_systems",
    "examine",
    "leave_one_out",
    "linear_combination",
    "over_test_sets",
    "plans",
    "power_between_measures",
    "power_of_items",
    "power_of_raters",
    "split_half",
    "validate_instances",
    "validate_nbest",
    "width_of_correlation",
    "with_clusters",
    "zscore_average",
]
