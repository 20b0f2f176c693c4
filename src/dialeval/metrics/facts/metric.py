"""Share of the facts of a reference, or of given knowledge, that a response keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.metrics.facts.answers import (
    Clause,
    addresses_in,
    answer_in,
    clauses_of,
    names_in,
    permissions_of,
    statements_of,
)
from dialeval.metrics.facts.passage import TITLES, Fact, Passage
from dialeval.metrics.facts.quantities import moments_in, quantities_in
from dialeval.metrics.rows import MeanOfValues, rows_of_values

_SHOWN: Final = 10
"""Facts of one outcome that an explanation names."""


@dataclass(frozen=True, slots=True)
class Facts(MeanOfValues[Example]):
    """Share of the numbers, dates, names, yes/no answers and denials of the reference that the response keeps.

    In [0, 1]; higher is better. A fact that is contradicted scores as one that is missing; which of the two it is, and
    what the response adds, is evidence (`explain`). Of several references the one with the highest share counts. The
    corpus score is the mean over the items that have a fact; one whose references have none is unscored, whatever the
    response adds.
    """

    name: ClassVar[str] = "facts"
    version: ClassVar[int] = 3
    facts: ClassVar[tuple[tuple[str, str], ...]] = (("rules", "english"), ("references", "best"))
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    against: Literal["references", "knowledge"] = "references"

    def unscorable(self, example: Example) -> str | None:
        """Return that there is nothing to compare with, or that it states no fact."""
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
        """Return the outcome of every fact, under the reference that counts, and what no text of the example has."""
        response = read_facts(example.response.text)
        given = (*example.references, *example.knowledge, *(turn.text for turn in example.context))
        found = self._best(example)
        instead = {(finding.start, finding.end) for finding in found if finding.outcome == "contradicted"}
        added = added_facts(response, map(read_facts, given))
        return [*found, *(finding for finding in added if (finding.start, finding.end) not in instead)]

    def explain(self, example: Example) -> str:
        """Return in one line what is contradicted, missing and added; empty if there is none of it."""
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


Outcome: TypeAlias = Literal["kept", "missing", "contradicted", "added"]
_STATED: Final = frozenset({"answer", "denial", "claim"})


class Reading(NamedTuple):
    """The facts of a text, and its clauses."""

    facts: tuple[Fact, ...]
    """Those that somebody who keeps the text's facts must say."""
    soft: tuple[Fact, ...]
    """Those that only confirm."""
    clauses: tuple[Clause, ...]
    words: tuple[str, ...]
    capitals: frozenset[int]
    """Places of the words that begin with a capital."""
    places: Mapping[str, tuple[int, ...]]
    """Places of each word."""
    by_key: Mapping[object, tuple[Fact, ...]]
    """Facts of both sorts by what others that agree with them share."""
    by_stem: Mapping[str, tuple[Clause, ...]]
    """Clauses that say what is, by each stem of their content; those that say the same once."""


class Finding(NamedTuple):
    """Outcome of one fact."""

    kind: str
    outcome: Outcome
    text: str
    """The fact as its text has it: the reference, or of an added one the response."""
    said: str = ""
    """Text of the response in its place."""
    start: int = -1
    """Place in the response; -1 if it says nothing of it."""
    end: int = -1


@lru_cache(maxsize=4_096)  # about 10 kB for a short text
def read_facts(text: str) -> Reading:
    """The facts of a text, in the order in which they stand in it; each value counts once."""
    passage = Passage(text)
    clauses = clauses_of(passage)
    answer = answer_in(passage)
    found = [
        *addresses_in(passage),
        *moments_in(passage),
        *quantities_in(passage),
        *names_in(passage),
        *([] if answer is None else [answer]),
        *statements_of(passage, clauses),
    ]
    if all(fact.soft for fact in found):
        found += permissions_of(passage, clauses)
    found.sort(key=lambda fact: (fact.start, fact.end))
    firm = {(fact.kind, fact.value): fact for fact in reversed(found) if not fact.soft}
    places: dict[str, list[int]] = {}
    for at, word in enumerate(passage.words):
        places.setdefault(word, []).append(at)
    by_key: dict[object, list[Fact]] = {}
    for fact in found:
        if fact.soft or firm[fact.kind, fact.value] is fact:
            for key in _keys(fact):
                by_key.setdefault(key, []).append(fact)
    return Reading(
        tuple(sorted(firm.values(), key=lambda fact: (fact.start, fact.end))),
        tuple(fact for fact in found if fact.soft),
        tuple(clauses),
        passage.words,
        frozenset(at for at in range(len(passage.words)) if passage.written(at)[:1].isupper()),
        {word: tuple(at) for word, at in places.items()},
        {key: tuple(facts) for key, facts in by_key.items()},
        _by_stem(clauses),
    )


def _by_stem(clauses: Iterable[Clause]) -> dict[str, tuple[Clause, ...]]:
    different = {(clause.content, clause.denial is None): clause for clause in clauses if clause.said}
    found: dict[str, list[Clause]] = {}
    for clause in different.values():
        for stem in clause.content:
            found.setdefault(stem, []).append(clause)
    return {stem: tuple(about) for stem, about in found.items()}


def _keys(fact: Fact) -> Iterator[object]:
    """Keys of a fact, of which facts that agree share one."""
    if fact.kind in ("number", "money", "percent"):
        yield ("amount", fact.value[0])
        yield ("number", fact.value[2])
    elif fact.kind == "time":
        yield (fact.kind, fact.value[0])
    elif fact.kind == "date":
        yield from ((fact.kind, date[1]) for date in fact.value)  # type: ignore[index]
    elif fact.cue == "phone":
        yield ("phone", str(fact.value[0])[-6:])
    else:
        yield (fact.kind, fact.value)


def _agreeing(fact: Fact, text: Reading) -> list[Fact]:
    """Facts of a text that say this one."""
    near = dict.fromkeys(other for key in _keys(fact) for other in text.by_key.get(key, ()))
    return [other for other in near if agree(fact, other)]


def match_facts(reference: Reading, response: Reading) -> list[Finding]:
    """Return the outcome of every fact of the reference, in order; then what it affirms and the response denies."""
    findings: dict[int, Finding] = {}
    confirmed: set[Fact] = set()
    plain = [(at, fact) for at, fact in enumerate(reference.facts) if fact.kind not in _STATED]
    for at, fact in plain:
        same = _agreeing(fact, response)
        confirmed.update(same)
        if same or (fact.kind == "name" and _named(fact, response)):
            findings[at] = _finding(fact, "kept", next(iter(same), None))
    spare = [
        f for f in response.facts if f not in confirmed and f.kind not in _STATED and not _is_in(f, reference)
    ]
    for certain in (True, False):
        for at, fact in plain:
            if at not in findings and (other := _rival(fact, spare, certain=certain)) is not None:
                alone = sum(_rivals(fact, f) for f in spare) == 1
                if certain or alone:
                    spare.remove(other)
                    findings[at] = _finding(fact, "contradicted", other)
    for at, fact in enumerate(reference.facts):
        if at not in findings:
            findings[at] = (
                _stated(fact, reference, response) if fact.kind in _STATED else _finding(fact, "missing")
            )
    found = [findings[at] for at in range(len(reference.facts))]
    return [*found, *_denied_claims(reference, response)]


def added_facts(response: Reading, given: Iterable[Reading]) -> list[Finding]:
    """Return the facts of the response that none of the texts has: numbers, dates, names and addresses."""
    texts = list(given)
    return [
        Finding(fact.kind, "added", fact.text, fact.text, fact.start, fact.end)
        for fact in response.facts
        if fact.kind not in _STATED and not any(_is_in(fact, text) for text in texts)
    ]


def _is_in(fact: Fact, text: Reading) -> bool:
    near = (other for key in _keys(fact) for other in text.by_key.get(key, ()))
    return any(agree(other, fact) for other in near) or (fact.kind == "name" and _named(fact, text))


def _finding(fact: Fact, outcome: Outcome, other: Fact | None = None) -> Finding:
    if other is None:
        return Finding(fact.kind, outcome, fact.text)
    return Finding(fact.kind, outcome, fact.text, other.text, other.start, other.end)


def agree(fact: Fact, other: Fact) -> bool:
    """Whether the second fact says the first, perhaps more exactly."""
    kinds = {fact.kind, other.kind}
    if kinds <= {"number", "money", "percent"}:
        return _quantities_agree(fact, other)
    if len(kinds) > 1 or fact.kind in _STATED:
        return False
    if fact.kind == "time":
        halves = {fact.value[1], other.value[1]} - {""}
        return fact.value[0] == other.value[0] and len(halves) < 2
    if fact.kind == "date":
        return any(_dates_agree(one, said) for one in fact.value for said in other.value)  # type: ignore[arg-type]
    if fact.kind == "address" and fact.cue == other.cue == "phone":
        longest, shortest = sorted((str(fact.value[0]), str(other.value[0])), key=len, reverse=True)
        return longest.endswith(shortest.lstrip("0"))
    return fact.value == other.value


def _quantities_agree(fact: Fact, other: Fact) -> bool:
    amount, unit, number = fact.value
    said, said_unit, said_number = other.value
    if unit == said_unit or (fact.kind == other.kind == "money" and "" in (unit, said_unit)):
        return amount == said
    # A number without a unit, and with nothing that it counts, may be anything.
    bare = (unit == "" and not fact.cue.endswith("+")) or (said_unit == "" and not other.cue.endswith("+"))
    return bare and number == said_number


def _dates_agree(one: tuple[int | None, ...], said: tuple[int | None, ...]) -> bool:
    """Whether the months agree, the days if the first has one, and the years if both have one."""
    years = {one[0], said[0]} - {None}
    return one[1] == said[1] and one[2] in (None, said[2]) and len(years) < 2


def _named(fact: Fact, text: Reading) -> bool:
    """Whether the words of a name stand in a text, in any case; of a person's name the last word is enough."""
    words = tuple(map(str, fact.value))
    if any(text.words[at : at + len(words)] == words for at in text.places.get(words[0], ())):
        return True
    if len(words) == 1:  # "Pay Pal"
        starts = (words[0][:size] for size in range(2, len(words[0]) - 1))
        return any(
            text.words[at + 1 : at + 2] == (words[0][len(start) :],)
            for start in starts
            for at in text.places.get(start, ())
        )
    if "".join(word[:1] for word in words) in text.places:
        return True
    last = text.places.get(words[-1], ())
    return any(
        at in text.capitals and (at - 1 not in text.capitals or text.words[at - 1] in TITLES) for at in last
    )


def _rivals(fact: Fact, other: Fact) -> bool:
    """Whether two facts are of the same sort, so that both can hardly be meant."""
    if fact.kind != other.kind:
        return (
            {fact.kind, other.kind} == {"money", "number"}
            and "" in (fact.value[1], other.value[1])
            and not (fact.cue.endswith("+") or other.cue.endswith("+"))
        )
    if fact.kind == "number":
        return fact.value[1] == other.value[1]
    return fact.kind != "address" or fact.cue == other.cue


def _rival(fact: Fact, spare: Sequence[Fact], *, certain: bool) -> Fact | None:
    """The spare fact that stands in place of this one; certain if a unit or a word beside both shows it."""
    for other in spare:
        if not _rivals(fact, other):
            continue
        if not certain:
            if fact.kind != "name" or _same_cue(fact, other):
                return other
        elif fact.kind == "name":
            if set(fact.value) & set(other.value) or _same_cue(fact, other):
                return other
        elif fact.kind != "number" or fact.value[1] != "" or _same_cue(fact, other):
            return other
    return None


def _same_cue(fact: Fact, other: Fact) -> bool:
    return bool(fact.cue) and fact.cue == other.cue


def _stated(fact: Fact, reference: Reading, response: Reading) -> Finding:
    if fact.kind == "answer":
        return _answered(fact, reference, response)
    content = frozenset(map(str, fact.value))
    alike, unlike = _clauses_about(content, response, denied=fact.kind == "denial")
    if fact.kind == "claim":
        worse = max((share for share, _ in unlike), default=0.0)
        better = max((share for share, _ in alike), default=0.0)
        if worse >= 0.5 and worse > better:
            return _finding(fact, "contradicted")
        return _finding(fact, "kept" if alike else "missing")
    if alike:
        return _finding(fact, "kept")
    return _finding(fact, "contradicted" if any(share >= 0.5 for share, _ in unlike) else "missing")


def _clauses_about(
    content: frozenset[str], text: Reading, *, denied: bool
) -> tuple[list[tuple[float, Clause]], list[tuple[float, Clause]]]:
    """Clauses that share words with this content, with the share: those that deny or affirm as told, and the others."""
    alike: list[tuple[float, Clause]] = []
    unlike: list[tuple[float, Clause]] = []
    near = {id(clause): clause for stem in content for clause in text.by_stem.get(stem, ())}
    for clause in near.values():
        share = len(content & clause.content) / min(len(content), len(clause.content))
        (alike if (clause.denial is not None) == denied else unlike).append((share, clause))
    return alike, unlike


def _answered(fact: Fact, reference: Reading, response: Reading) -> Finding:
    said = next((other for other in response.facts if other.kind == "answer"), None)
    if said is not None:
        return _finding(fact, "kept" if said.value == fact.value else "contradicted", said)
    content = frozenset().union(*(clause.content for clause in reference.clauses))
    first = [c for c in response.clauses if c.said and c.content & content]
    denies = any(clause.denial is not None for clause in first)
    if not first:
        return _finding(fact, "missing")
    if fact.value == ("no",):
        return _finding(fact, "kept" if denies else "missing")
    agreeing = any(clause.denial is not None for clause in reference.clauses)
    return _finding(fact, "contradicted" if denies and not agreeing else "kept")


def _denied_claims(reference: Reading, response: Reading) -> Iterator[Finding]:
    """Yield what the reference affirms without being a fact by itself, and the response denies."""
    claimed = {frozenset(map(str, fact.value)) for fact in reference.facts if fact.kind == "claim"}
    denied = frozenset().union(*(c.content for c in reference.clauses if c.denial is not None))
    known: dict[frozenset[str], bool] = {}
    for clause in reference.clauses:
        content = clause.content
        if clause.denial is not None or not clause.said or content in claimed or len(content) < 2:
            continue
        if content not in known:
            known[content] = _is_denied(content, response, denied)
        if known[content]:
            text = " ".join(reference.words[clause.first : clause.last + 1])
            yield Finding("claim", "contradicted", text)


def _is_denied(content: frozenset[str], response: Reading, denied: frozenset[str]) -> bool:
    """Whether the response denies this content and nowhere affirms it, in clauses without what the reference denies."""
    alike, unlike = _clauses_about(content, response, denied=False)
    worse = [other for share, other in unlike if share >= 0.5 and len(other.content & content) > 1]
    return bool(worse) and not alike and all(denied.isdisjoint(other.content) for other in worse)
