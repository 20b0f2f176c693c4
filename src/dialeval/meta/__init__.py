"""Agreement of automatic measures with people, and reliability of the people.

    ratings = read_judgements(["people.jsonl", "runs/mine"])
    joined = join(ratings, "overall")
    for row in correlate(joined, levels=["system", "item"]):
        print(row.measure, row.level, row.spearman, row.low, row.high, row.warnings)

People and measures are both raters in one table of judgements (`dialeval.ratings`); `join` puts them on the same axes.
`examine` asks everything at once, as ``dialeval meta`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily
from dialeval.meta.examine import Findings, examine

if TYPE_CHECKING:
    from dialeval.meta.correlation.ceiling import leave_one_out, split_half
    from dialeval.meta.correlation.instability import Instability, over_test_sets
    from dialeval.meta.correlation.levels import correlate
    from dialeval.meta.correlation.rank_groups import rank_groups, with_rank_groups
    from dialeval.meta.correlation.rivals import compare_measures
    from dialeval.meta.document import (
        LEVELS,
        Ceiling,
        Document,
        Estimates,
        InstanceValidation,
        LeftOut,
        Level,
        PowerCurve,
        Rivalry,
        Row,
        WidthCurve,
    )
    from dialeval.meta.estimation.combining import Combination, linear_combination, zscore_average
    from dialeval.meta.estimation.estimating import estimate_systems
    from dialeval.meta.folder import (
        META_FILES,
        read_meta,
        read_points,
        render_meta,
        write_findings,
        write_page,
        write_points,
    )
    from dialeval.meta.inquiry import Inquiry
    from dialeval.meta.instances.instances import validate_instances
    from dialeval.meta.instances.rules import InstanceRule
    from dialeval.meta.overview import points_of
    from dialeval.meta.planning.measures import (
        correlation_by_raters,
        power_between_measures,
        width_of_correlation,
    )
    from dialeval.meta.planning.plans import plans
    from dialeval.meta.planning.ratings import power_of_items, power_of_raters
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = [
    "LEVELS",
    "META_FILES",
    "Ceiling",
    "Combination",
    "Document",
    "Estimates",
    "Findings",
    "Inquiry",
    "Instability",
    "InstanceRule",
    "InstanceValidation",
    "LeftOut",
    "Level",
    "PowerCurve",
    "Rivalry",
    "Row",
    "WidthCurve",
    "compare_measures",
    "correlate",
    "correlation_by_raters",
    "estimate_systems",
    "examine",
    "leave_one_out",
    "linear_combination",
    "over_test_sets",
    "plans",
    "points_of",
    "power_between_measures",
    "power_of_items",
    "power_of_raters",
    "rank_groups",
    "read_meta",
    "read_points",
    "render_meta",
    "split_half",
    "validate_instances",
    "width_of_correlation",
    "with_rank_groups",
    "write_findings",
    "write_page",
    "write_points",
    "zscore_average",
]
