"""Share of the facts of a reference, or of given knowledge, that a response keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.metrics.facts.matching import Finding, added_facts, match_facts, read_facts
from dialeval.metrics.rows import MeanOfValues, rows_of_values

_SHOWN: Final = 10
"""Facts of one outcome that an explanation names."""


@dataclass(frozen=True, slots=True)
class Facts(MeanOfValues):
    """Share of the numbers, dates, names, yes/no answers and denials of the reference that the response keeps.

    In [0, 1]; higher is better. A fact that is contradicted scores as one that is missing; which of the two it is, and
    what the response adds, is evidence (`explain`). Of several references the one with the highest share counts. The
    corpus score is the mean over the items that have a fact; one whose references have none is unscored, whatever the
    response adds.
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    against: Literal["references", "knowledge"] = "references"

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature(
            "facts", (("against", self.against),), (("rules", "english"), ("references", "best")), version=2
        )

    def unscorable(self, example: Example) -> str | None:
        """That there is nothing to compare with, or that it states no fact."""
        texts = self._texts(example)
        if not texts:
            return "no references" if self.against == "references" else "no knowledge"
        if not any(read_facts(text).facts for text in texts):
            return f"no fact in the {'reference' if self.against == 'references' else 'knowledge'}"
        return None

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the share and 1."""
        return rows_of_values([_share(self._best(example)) for example in examples])

    def findings(self, example: Example) -> list[Finding]:
        """What became of every fact, under the reference that counts, and what no text of the example has."""
        response = read_facts(example.response.text)
        given = (*example.references, *example.knowledge, *(turn.text for turn in example.context))
        found = self._best(example)
        instead = {(finding.start, finding.end) for finding in found if finding.outcome == "contradicted"}
        added = added_facts(response, map(read_facts, given))
        return [*found, *(finding for finding in added if (finding.start, finding.end) not in instead)]

    def explain(self, example: Example) -> str:
        """What is contradicted, missing and added, in one line; empty where there is none of it."""
        found = self.findings(example)
        wrong = [
            f"{f.text} (said: {f.said})" if f.said else f.text for f in found if f.outcome == "contradicted"
        ]
        lost = [f.text for f in found if f.outcome == "missing"]
        more = [f.text for f in found if f.outcome == "added"]
        parts = (("contradicted", wrong), ("missing", lost), ("added", more))
        return "; ".join(f"{outcome}: {_listed(texts)}" for outcome, texts in parts if texts)

    def _texts(self, example: Example) -> tuple[str, ...]:
        if self.against == "knowledge":
            return ("\n".join(example.knowledge),) if example.knowledge else ()
        return example.references

    def _best(self, example: Example) -> list[Finding]:
        """The findings under the reference that is kept best; among equals, the one with most facts."""
        response = read_facts(example.response.text)
        readings = [read_facts(text) for text in self._texts(example)]
        found = [match_facts(reading, response) for reading in readings if reading.facts]
        return max(found, key=lambda findings: (_share(findings), len(findings)), default=[])


def _share(findings: Sequence[Finding]) -> float:
    kept = sum(finding.outcome == "kept" for finding in findings)
    return kept / len(findings) if findings else 0.0


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more
