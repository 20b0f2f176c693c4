"""Recorded verdicts on pairs of answers, of published judges and of people, as preferences.

Files of verdicts and files of answers of one collection are read together: answers give the lengths, and the names of
the systems where verdicts do not. The systems of pairs whose answers are by nobody in particular are ``1`` and ``2``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from dialeval.data.codec.bad import refuse
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.conversation import item_of
from dialeval.data.importers.corpora.recorded_judges import CHOICE, PEOPLE, judge_in
from dialeval.data.importers.ratings import rating
from dialeval.errors import BadInput
from dialeval.ratings.preferences import Choice, Preference, Side

Collection: TypeAlias = Literal["llmbar", "pandalm", "vicuna-reviews", "cascaded-judges"]
COLLECTIONS: Final[tuple[Collection, ...]] = get_args(Collection)
_CHOICES: Final[Mapping[object, Choice]] = {
    **{0: "tie", 1: "a", 2: "b"},
    **{"0": "tie", "1": "a", "2": "b", "Tie": "tie"},
}


class _Answers(NamedTuple):
    """Two answers to one item."""

    a: str = "1"
    b: str = "2"
    length_a: int | None = None
    length_b: int | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """All files of a collection, while they are read."""

    verdicts: list[Preference] = field(default_factory=list)
    answers: dict[str, _Answers] = field(default_factory=dict)
    """By item: pairs of answers."""
    lengths: dict[tuple[str, str], int] = field(default_factory=dict)
    """By item and system."""
    labelled: set[tuple[str, str]] = field(default_factory=set)
    """Items and criteria that people's labels are known of, since files repeat them for every judge."""

    def joined(self) -> Iterator[Preference]:
        """The verdicts with the names of systems and the lengths of answers, as far as they are known."""
        for one in self.verdicts:
            pair = self.answers.get(one.item)
            if pair is not None:
                yield one._replace(**pair._asdict())
                continue
            a, b = (self.lengths.get((one.item, system)) for system in (one.a, one.b))
            yield one if a is None or b is None else one._replace(length_a=a, length_b=b)


def read_recorded(sources: Sequence[Source], collection: Collection) -> tuple[Preference, ...]:
    """The preferences in files of a collection, as they were published.

    - ``llmbar``: verdicts of a judge in both orders on the criterion of its set, people's labels, and ``pairs.jsonl``.
    - ``pandalm``: the test set, with three people, and the verdicts of judges, which are named after their file.
    - ``vicuna-reviews``: GPT-4's scores (the higher one wins), people on one pair of systems, and ``answers.jsonl.gz``.
    - ``cascaded-judges``: people and three judges, of which the more probable answer counts.
    """
    reading = _Reading()
    parse = _PARSERS[collection]
    for source in sources:
        for row in read_rows(source, refuse):
            if not isinstance(row.fields, Mapping):
                raise wrong(row.where, "", row.fields, "an object", "Check that this is the right file.")
            parse(row.fields, row, source, reading)
    found = tuple(reading.joined())
    if not found:
        listed = ", ".join(shown(source) for source in sources)
        raise BadInput(listed, "no verdicts", f"verdicts of {collection}", "Name its files of verdicts, too.")
    return found


def _choice(given: object, row: Row, field: str) -> tuple[Choice | None, str | None]:
    """The choice, or the words in its place as the reason for none."""
    if not isinstance(given, bool | list | dict) and given in _CHOICES:
        return _CHOICES[given], None
    if given is None or isinstance(given, str):
        return None, given or "no verdict"
    raise wrong(row.where, field, given, "1, 2, or 0 for a tie", "Fix the verdict.")


def _words(fields: Mapping[str, object], field: str) -> str | None:
    given = fields.get(field)
    return given if isinstance(given, str) and given else None


def _verdict(
    item: str,
    rater: str,
    choice: tuple[Choice | None, str | None],
    criterion: str,
    first: Side | None = None,
    evidence: str | None = None,
) -> Preference:
    """A verdict on answers that are named after their places."""
    named = Preference(item, rater, "1", "2", choice[0], first, criterion)
    return named._replace(reason=choice[1], evidence=evidence)


def _label(item: str, given: object, criterion: str, row: Row, field: str, reading: _Reading) -> None:
    """Keep people's label, once for each item and criterion."""
    if (item, criterion) not in reading.labelled:
        reading.labelled.add((item, criterion))
        reading.verdicts.append(_verdict(item, PEOPLE, _choice(given, row, field), criterion))


def _llmbar(fields: Mapping[str, object], row: Row, source: Source, reading: _Reading) -> None:
    where = row.where
    if "output_1" in fields:
        lengths = [len(text(fields, output, where, "")) for output in ("output_1", "output_2")]
        reading.answers[f"llmbar-{row.number - 1}"] = _Answers("1", "2", *lengths)
        return
    judge, prompt, part = (text(fields, key, where, "") for key in ("judge", "prompt", "set"))
    item = f"llmbar-{item_of(fields, row, 'row')}"
    _label(item, fields.get("label"), part, row, "label", reading)
    orders: tuple[tuple[str, Side, str], ...] = (
        ("winner", "a", "reply"),
        ("winner_swapped", "b", "reply_swapped"),
    )
    for key, first, words in orders:
        if key not in fields:
            raise missing(fields, key, where, "", "1, 2, or null for no verdict")
        choice = _choice(fields[key], row, key)
        given = _verdict(item, f"{judge} {prompt}", choice, part, first, _words(fields, words))
        reading.verdicts.append(given)


def _pandalm(fields: Mapping[str, object], row: Row, source: Source, reading: _Reading) -> None:
    where = row.where
    item = f"pandalm-{item_of(fields, row, 'idx')}"
    if "annotator1" not in fields:
        if "result" not in fields:
            raise missing(fields, "result", where, "", "1, 2, or 0 for a tie")
        choice = _choice(fields["result"], row, "result")
        given = _verdict(item, judge_in(source), choice, CHOICE, "a", _words(fields, "reason"))
        reading.verdicts.append(given)
        return
    a, _, b = name(fields, "cmp_key", where, "").partition("_")
    answers = [fields.get(key) for key in ("response1", "response2")]
    # Some of the published answers are true or a number, whose text is not known.
    lengths = [len(each) if isinstance(each, str) else None for each in answers]
    reading.answers[item] = _Answers(a, b or "2", *lengths)
    for number in (1, 2, 3):
        key = f"annotator{number}"
        choice = _choice(fields.get(key), row, key)
        reading.verdicts.append(_verdict(item, f"r{number}", choice, CHOICE))


def _vicuna(fields: Mapping[str, object], row: Row, source: Source, reading: _Reading) -> None:
    where = row.where
    item = f"vicuna-{item_of(fields, row, 'item')}"
    if "response" in fields:
        reading.lengths[item, name(fields, "system", where, "")] = len(text(fields, "response", where, ""))
        return
    a, b = (name(fields, key, where, "") for key in ("system_1", "system_2"))
    scores = fields.get("score")
    if not isinstance(scores, list) or len(scores) != 2:
        raise wrong(where, "score", scores, "two scores", "Fix the list.")
    first, second = (rating(score, where, "score").value for score in scores)
    choice: Choice | None = None
    if first is not None and second is not None:
        choice = "tie" if first == second else "a" if first > second else "b"
    reason = None if choice else "no score"
    given = Preference(item, "gpt-4", a, b, choice, "a", CHOICE, reason=reason)
    reading.verdicts.append(given._replace(evidence=_words(fields, "reply")))
    if "human" in fields:
        said = _choice(fields["human"], row, "human")
        reading.verdicts.append(Preference(item, PEOPLE, a, b, said[0], None, CHOICE, reason=said[1]))


def _cascaded(fields: Mapping[str, object], row: Row, source: Source, reading: _Reading) -> None:
    where = row.where
    item = f"cascaded-{item_of(fields, row, 'item')}"
    outputs, probabilities = fields.get("outputs"), fields.get("probs")
    if isinstance(outputs, list) and len(outputs) == 2 and all(isinstance(each, str) for each in outputs):
        reading.answers[item] = _Answers("1", "2", *map(len, outputs))
    if not isinstance(probabilities, Mapping):
        raise wrong(where, "probs", probabilities, "an object", "Fix the object.")
    _label(item, fields.get("human"), CHOICE, row, "human", reading)
    for judge, pair in probabilities.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise wrong(where, f"probs.{judge}", pair, "two probabilities", "Fix the list.")
        first, second = (rating(each, where, f"probs.{judge}").value or 0.0 for each in pair)
        choice: Choice = "tie" if first == second else "a" if first > second else "b"
        reading.verdicts.append(_verdict(item, judge, (choice, None), CHOICE, "a"))


_PARSERS: Final[Mapping[Collection, Callable[[Mapping[str, object], Row, Source, _Reading], None]]] = {
    "llmbar": _llmbar,
    "pandalm": _pandalm,
    "vicuna-reviews": _vicuna,
    "cascaded-judges": _cascaded,
}
