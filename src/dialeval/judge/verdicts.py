"""Verdicts in a judge's replies: a value, or a code for why there is none. What is not certain is not a value."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, NamedTuple

from dialeval.judge.document import Code
from dialeval.judge.rubrics import Rubric

_LONGEST: Final = 100_000
"""Characters of a reply that is read; a longer one is no verdict."""
_UNCLEAR: Final = 0.01
"""Share of the scale by which a score may be uncertain because a token begins two scores."""
_NUMBER: Final = re.compile(r"(?:[^\w-]|_)*(?:score(?:[^\w-]|_)*)?(-?\d{1,9})[\W_]*", re.IGNORECASE)
_WORD: Final = re.compile(r"[\W_]*(yes|no)[\W_]*", re.IGNORECASE)


class TokenChoice(NamedTuple):
    """One token of a reply, and the likeliest ones in its place, with their log-probabilities."""

    text: str
    alternatives: tuple[tuple[str, float], ...]


class JudgeReply(NamedTuple):
    """Reply of a judge, as it came."""

    text: str
    model: str | None = None
    """The model as the server names it."""
    finish: str | None = None
    refusal: str | None = None
    tokens: tuple[TokenChoice, ...] = ()
    constraint: str = "none"
    """What held the reply to its form: ``json_schema``, ``tools`` or ``none``."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Verdict(NamedTuple):
    """A judge's value for one subject, or the code of why there is none, with the whole reply as evidence."""

    value: float | None
    code: Code | None
    reply: JudgeReply
    reason: str = ""
    """The judge's own words for the value; for a code, what was found."""
    probabilities: tuple[tuple[int, float], ...] = ()
    """Renormalised over the scale."""
    mass: float | None = None
    """Probability of all scores together, before that."""
    omitted: int = 0
    """Oldest turns that the judge did not see."""


def no_verdict(code: Code, reply: JudgeReply, found: str = "") -> Verdict:
    """A verdict without a value."""
    return Verdict(None, code, reply, found)


def _unusable(reply: JudgeReply) -> Verdict | None:
    if reply.refusal:
        return no_verdict("refused", reply, reply.refusal)
    if reply.finish == "content_filter":
        return no_verdict("refused", reply, "its content filter ended the reply")
    if reply.finish in ("length", "max_tokens"):
        return no_verdict("cut", reply)
    if len(reply.text) > _LONGEST:
        return no_verdict("unparsable", reply, f"a reply of {len(reply.text):,} characters")
    return None


def read_json(reply: JudgeReply, rubric: Rubric, tag: str) -> Verdict:
    """The last complete verdict of a reply: an object with the tag of the request, a reason and a score."""
    if (lost := _unusable(reply)) is not None:
        return lost
    last: Mapping[str, object] | None = None
    for found in objects_in(reply.text):
        if (
            {"tag", "reason", "score"} <= found.keys()
            and found["tag"] == tag
            and isinstance(found["reason"], str)
        ):
            last = found
    if last is None:
        return no_verdict("unparsable", reply, _excerpt(reply.text))
    score = last["score"]
    if isinstance(score, float) and score.is_integer():
        score = int(score)
    if isinstance(score, bool) or not isinstance(score, int | float):
        return no_verdict("unparsable", reply, f"the score {str(score)[:40]!r}")
    if score not in rubric.scale:
        return no_verdict("off_scale", reply, f"the score {str(score)[:40]}")
    return Verdict(float(score), None, reply, str(last["reason"]))


def objects_in(text: str) -> Iterator[Mapping[str, object]]:
    """The outermost JSON objects of a text, in order, whatever stands around them; none with a key twice."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_repeats)
    place = text.find("{")
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        if isinstance(found, dict):
            yield found
        place = text.find("{", end)


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    known = dict(pairs)
    return known if len(known) == len(pairs) else {}


def read_expected(reply: JudgeReply, rubric: Rubric) -> Verdict:
    """The expected score over the probabilities of the scores where the reply has its number."""
    if (lost := _unusable(reply)) is not None:
        return lost
    written = _NUMBER.fullmatch(reply.text)
    if written is None:
        return no_verdict("unparsable", reply, _excerpt(reply.text))
    if int(written[1]) not in rubric.scale or written[1] != str(int(written[1])):
        return no_verdict("off_scale", reply, f"the score {written[1][:40]}")
    start, end = written.span(1)
    path = _tokens_at(reply, start, end)
    if path is None:
        return no_verdict("no_probabilities", reply)
    # A score that was written and has no share, as no tokens are listed where it goes on, is not told from the others.
    found = _probabilities(path, [str(score) for score in rubric.scale])
    mass = math.fsum(found.likely.values())
    if not found.likely[written[1]] > 0:
        return no_verdict("no_probabilities", reply)
    span = rubric.scale[-1] - rubric.scale[0]
    if found.unclear * found.widest > _UNCLEAR * span * mass:
        what = ", ".join(sorted(found.prefixes))
        return no_verdict(
            "ambiguous", reply, f"{found.unclear:.3f} of the probability is of a token that may begin {what}"
        )
    shares = tuple((score, found.likely[str(score)] / mass) for score in rubric.scale)
    value = math.fsum(score * share for score, share in shares)
    return Verdict(value, None, reply, probabilities=shares, mass=min(mass, 1.0))


def _tokens_at(reply: JudgeReply, start: int, end: int) -> list[TokenChoice] | None:
    """The tokens that make up this part of the text, and what comes after; None if they do not begin there."""
    if "".join(token.text for token in reply.tokens) != reply.text:
        return None
    place = 0
    for index, token in enumerate(reply.tokens):
        stripped = len(token.text) - len(token.text.lstrip())
        if place <= start < place + len(token.text):
            return list(reply.tokens[index:]) if start in (place, place + stripped) else None
        place += len(token.text)
    return None


class _Spread(NamedTuple):
    likely: Mapping[str, float]
    """Probability of each score."""
    unclear: float = 0.0
    """Probability that is counted for one score, and may be of another that begins with the same token."""
    widest: float = 0.0
    """Largest distance between the scores that may be mistaken for each other."""
    prefixes: Set[str] = frozenset()

    def with_share(self, score: str, chance: float, longer: Sequence[str] = ()) -> _Spread:
        """The same with more probability for a score, which may as well be of longer ones; off the scale it is lost."""
        likely = {**self.likely, score: self.likely[score] + chance} if score in self.likely else self.likely
        if not longer:
            return self._replace(likely=likely)
        widest = max(self.widest, *(abs(int(other) - int(score)) for other in longer))
        return _Spread(likely, self.unclear + chance, widest, self.prefixes | {score, *longer})


def _probabilities(path: Sequence[TokenChoice], scores: Sequence[str]) -> _Spread:
    """Probability of each score, over the tokens along the reply.

    Where the tokeniser writes a score in several tokens, as 1 and 0, its probability is the product along the reply. A
    token that is a score, and may also begin a longer one that no single token of the list is, counts for the shorter
    one if the reply does not show what follows it; that share is unclear.
    """
    spread = _Spread(dict.fromkeys(scores, 0.0))
    before, share = "", 1.0
    for token in path:
        whole = {before + text.strip() for text, _ in token.alternatives}
        taken = None
        for text, logprob in token.alternatives:
            digits, rest = _leading_digits(text)
            spelt, chance = before + digits, share * math.exp(logprob)
            if not spelt:
                continue
            longer = [s for s in scores if s != spelt and s.startswith(spelt) and s not in whole]
            if rest or not digits or not longer:
                spread = spread.with_share(spelt, chance)
            elif text == token.text and taken is None:
                taken = spelt, chance
            else:
                spread = spread.with_share(spelt, chance, longer)
        if taken is None:
            return spread
        before, share = taken
    longer = [score for score in scores if score != before and score.startswith(before)]
    return spread.with_share(before, share, longer)


def _leading_digits(text: str) -> tuple[str, str]:
    """The digits that a token begins with, and what comes after them."""
    stripped = text.lstrip()
    rest = stripped.lstrip("0123456789")
    return stripped[: len(stripped) - len(rest)], rest


def read_yes_no(reply: JudgeReply) -> Verdict:
    """The probability of yes among yes and no, where the reply has its word."""
    if (lost := _unusable(reply)) is not None:
        return lost
    written = _WORD.fullmatch(reply.text)
    if written is None:
        return no_verdict("unparsable", reply, _excerpt(reply.text))
    path = _tokens_at(reply, written.start(1), written.end(1))
    if path is None or not path[0].alternatives:
        return no_verdict("no_probabilities", reply)
    chances = {"yes": 0.0, "no": 0.0}
    for text, logprob in path[0].alternatives:
        word = text.strip().strip("*\"'`.").lower()
        if word in chances:
            chances[word] += math.exp(logprob)
    mass = math.fsum(chances.values())
    # Without a share of its own, the word that was written is no single token here.
    if not chances[written[1].lower()] > 0:
        return no_verdict("no_probabilities", reply)
    yes = chances["yes"] / mass
    return Verdict(yes, None, reply, probabilities=((0, 1 - yes), (1, yes)), mass=min(mass, 1.0))


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return f"the reply {words[:80]!r}" + ("…" if len(words) > 80 else "") if words else "an empty reply"
