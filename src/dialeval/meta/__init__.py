"""Agreement of automatic measures with people, and reliability of the people.

    ratings = read_judgements(["people.jsonl", "runs/mine"])
    joined = join(ratings, "overall")
    for row in correlate(joined, levels=["system", "item"]):
        print(row.measure, row.level, row.estimate.value, row.estimate.bounds, row.warnings)

People and measures are both raters in one table of judgements (`dialeval.ratings`); `join` puts them on the same axes.
`examine` asks everything at once, as ``dialeval meta`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.meta.ceiling import split_half as split_half
    from dialeval.meta.combinations import linear_combination as linear_combination
    from dialeval.meta.correlation import correlate as correlate
    from dialeval.meta.document import LEVELS as LEVELS, Level as Level, Row as Row
    from dialeval.meta.estimates import estimate_systems as estimate_systems
    from dialeval.meta.examination import (
        Findings as Findings,
        Inquiry as Inquiry,
        examine as examine,
    )
    from dialeval.meta.folder import (
        META_FILES as META_FILES,
        write_findings as write_findings,
        write_page as write_page,
    )
    from dialeval.meta.instances import InstanceRule as InstanceRule, validate_instances as validate_instances
    from dialeval.meta.judgements import join as join, only_criterion as only_criterion, variants as variants
    from dialeval.meta.planning.measures import (
        power_between_measures as power_between_measures,
        width_of_correlation as width_of_correlation,
    )
    from dialeval.meta.planning.ratings import (
        power_of_items as power_of_items,
        power_of_raters as power_of_raters,
    )
    from dialeval.meta.points import (
        points_of as points_of,
        read_points as read_points,
        write_points as write_points,
    )
    from dialeval.meta.rivals import compare_measures as compare_measures
    from dialeval.meta.roles import fits as fits, measures_among as measures_among
else:
    __getattr__ = lazily(__name__, __file__)
