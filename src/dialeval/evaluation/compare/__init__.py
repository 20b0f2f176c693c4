"""Is one system better than another, or is it noise, and how many more items would settle it?"""

from dialeval.evaluation.compare.comparison import Comparison
from dialeval.evaluation.compare.deciding import (
    add_first_look,
    compare,
    compare_all,
    compare_pairs,
    decide_families,
)

__all__ = ["Comparison", "add_first_look", "compare", "compare_all", "compare_pairs", "decide_families"]
