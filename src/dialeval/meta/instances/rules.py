"""Rules that turn a measure's value into right or wrong, written as ``rouge_l>=0.2``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from dialeval.errors import DialevalError
from dialeval.meta.document import InstanceValidation
from dialeval.meta.instances.instances import validate_instances
from dialeval.ratings.joined import Joined
from dialeval.ratings.verdicts import Threshold


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
