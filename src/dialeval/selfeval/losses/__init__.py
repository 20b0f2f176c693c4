"""Losses of scorers that learn from dialogues of known order, one a file; functions of tensors.

| loss | inputs | what it asks for |
|---|---|---|
| `separation` | centroids of levels, best first | better levels score higher, by a margin that grows with the gap |
| `ordering` | centroids of levels, best first | no level above a better one |
| `compactness` | scores of one level | scores near their centroid |
| `r_drop` | two scores of each dialogue under dropout | the same score twice |
| `bce` | scores and reference scores | the reference score |
| `ranking` | pairs of scores | the better one higher, by a margin |
| `contrastive` | vectors and their levels | vectors of one level together |
"""

from dialeval.selfeval.losses.bce import bce
from dialeval.selfeval.losses.compactness import compactness
from dialeval.selfeval.losses.contrastive import contrastive
from dialeval.selfeval.losses.ordering import ordering
from dialeval.selfeval.losses.r_drop import r_drop
from dialeval.selfeval.losses.ranking import ranking
from dialeval.selfeval.losses.separation import separation

__all__ = ["bce", "compactness", "contrastive", "ordering", "r_drop", "ranking", "separation"]
