"""Language models as judges: one more rater, whose verdicts are scores of a rubric, with reason and evidence.

``Judge`` is the measure ``judge``. A verdict is a value or the reason why there is none, never a guess; what is judged
is data that gives no orders. Importing this package brings neither torch nor an HTTP library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.judge.metric import Judge
    from dialeval.judge.rubrics import RUBRICS, Rubric, load_rubric
    from dialeval.judge.verdicts import Verdict
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = ["RUBRICS", "Judge", "Rubric", "Verdict", "load_rubric"]
