"""Validation on single answers: ratings of those that a measure calls right against those it calls wrong.

A measure may rank systems well and yet know nothing about which of a system's answers are good. So each system is
looked at alone: are its answers rated higher on the items the measure calls right (Sato, 2024, section 3.5)?
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dialeval.core import Floats
from dialeval.errors import DialevalError, Unsuitable
from dialeval.files.documents import finite
from dialeval.meta.document import GroupTest, InstanceValidation, SystemTest
from dialeval.ratings.joined import Joined
from dialeval.ratings.verdicts import Threshold, verdicts_of
from dialeval.stats.tests.groups import fisher_exact, student_t, welch_t
from dialeval.stats.tests.multiple import holm


@dataclass(frozen=True, slots=True)
class InstanceRule:
    """A measure and the value from which on an answer counts as right; without one, the measure says 0 or 1."""

    measure: str
    threshold: Threshold | None = None
    lower_is_right: bool = False

    @classmethod
    def parse(cls, text: str) -> InstanceRule:
        """The rule written as ``rouge_l>=0.2``, ``ter<=median`` or, of a measure that says 0 or 1, ``chosen``.

        >>> InstanceRule.parse("bleu(order=4) >= 0.2")
        InstanceRule(measure='bleu(order=4)', threshold=0.2, lower_is_right=False)
        """
        if text.strip() and not re.search(r"[<>]", text):
            return cls(text.strip())
        # A measure's own name may hold signs; the last one is the rule's.
        written = re.fullmatch(r"(.*)([<>]=)(.*)", text, re.DOTALL)
        measure, sign, bound = written.groups() if written else ("", "", "")
        measure, threshold = measure.strip(), _threshold(bound.strip())
        if not measure or threshold is None:
            raise DialevalError(
                f"Found the rule {text!r}, expected a measure and from where on it says right: "
                "'rouge_l>=0.2', 'ter<=0.5' or 'length>=median'."
            )
        return cls(measure, threshold, sign == "<=")

    def validate(self, joined: Joined, *, alpha: float) -> InstanceValidation:
        """Whether people rate the answers it calls right higher, system by system."""
        return validate_instances(
            joined, self.measure, threshold=self.threshold, lower_is_right=self.lower_is_right, alpha=alpha
        )


def _threshold(text: str) -> Threshold | None:
    if text == "median":
        return "median"
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def validate_instances(
    joined: Joined,
    measure: str,
    *,
    threshold: Threshold | None = None,
    lower_is_right: bool = False,
    test: GroupTest | None = None,
    alternative: Literal["greater", "less"] = "greater",
    alpha: float = 0.05,
) -> InstanceValidation:
    """Each system's answers that the measure calls right and wrong, and whether people rate the former higher.

    Ratings are compared by a one-tailed t test (Welch's, or Student's), yes/no labels by Fisher's exact test, each
    system alone (Sato, 2024, section 3.5, who writes "one-tailed t-test" without naming which). Without ``test``,
    labels are tested by Fisher's if every rater said 0 or 1, and ratings by Welch's elsewhere. A label is what most
    raters of the answer said. ``alternative="less"`` is for criteria on which lower is better.
    """
    scored = joined.measure_named(measure)
    split = verdicts_of(scored, threshold=threshold, lower_is_right=lower_is_right)
    labelled = bool(np.isin(joined.people.value, (0, 1)).all())
    if test == "fisher" and not labelled:
        raise Unsuitable(
            f"Fisher's test compares yes/no labels, and {joined.criterion!r} holds other values than 0 and 1. "
            "Use test='welch'."
        )
    chosen: GroupTest = test or ("fisher" if labelled else "welch")
    human = _majority(joined.human.values) if chosen == "fisher" else joined.human.values
    tests = [
        _tested(system, human[index], split.right[index], chosen, alternative)
        for index, system in enumerate(joined.systems)
    ]
    adjusted = holm([math.nan if test.p is None else test.p for test in tests]).tolist()
    return InstanceValidation(
        measure=scored.name,
        rule=split.rule,
        criterion=joined.criterion,
        test=chosen,
        alternative=alternative,
        alpha=alpha,
        systems=tuple(replace(test, p_adjusted=finite(p)) for test, p in zip(tests, adjusted, strict=True)),
    )


def _majority(means: Floats) -> Floats:
    """Verdict of most raters, from the share who said yes; NaN if they were evenly split."""
    return np.where(np.isnan(means) | (means == 0.5), np.nan, means > 0.5)


def _tested(
    system: str, human: Floats, right: Floats, test: GroupTest, alternative: Literal["greater", "less"]
) -> SystemTest:
    both = ~np.isnan(human) & ~np.isnan(right)
    either = ~np.isnan(human) | ~np.isnan(right)
    high, low = human[both & (right == 1)], human[both & (right == 0)]
    reason = _untestable(high, low, test)
    statistic = df = p = math.nan
    if reason is None and test == "fisher":
        table = [[int(high.sum()), int((1 - high).sum())], [int(low.sum()), int((1 - low).sum())]]
        statistic, p = fisher_exact(np.array(table), alternative)
    elif reason is None:
        result = (welch_t if test == "welch" else student_t)(high, low, alternative=alternative)
        statistic, df, p, reason = result.t, result.df, result.p, result.reason
    return SystemTest(
        system=system,
        right=len(high),
        wrong=len(low),
        left_out=int((either & ~both).sum()),
        mean_right=_mean(high),
        mean_wrong=_mean(low),
        statistic=None if math.isnan(statistic) else statistic,
        df=finite(df),
        p=finite(p),
        p_adjusted=None,
        reason=reason,
    )


def _untestable(high: Floats, low: Floats, test: GroupTest) -> str | None:
    if not len(high) and not len(low):
        return "no answer has both a rating and a verdict"
    if not len(high) or not len(low):
        only, count = ("right", len(high)) if len(high) else ("wrong", len(low))
        return f"the measure calls every rated answer {only} ({count})"
    if test == "fisher":
        together = np.concatenate([high, low])
        same = together.min() == together.max()
        return f"all {len(together)} labels are {together[0]:g}" if same else None
    return None


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None
