"""Recorded verdicts of language models that judged, beside people's: each judge is a rater, as is each person.

The judges of one collection are on the criterion of its people where both chose among the same answers, so that
``annotate agreement`` compares them; where a judge gave numbers of its own, its criterion is the collection's name, as
metrics have it, so that ``meta`` correlates them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.codec.bad import OnBad, refuse
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, is_stdin, shown
from dialeval.data.codec.tables import read_cells
from dialeval.data.importers.conversation import item_of
from dialeval.data.importers.ratings import rating, rating_in_cell
from dialeval.data.types import Judgement, Kind, Record
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("judgement",)
PEOPLE: Final = "people"
"""The rater of labels that people agreed on."""
CHOICE: Final = "better"
"""The criterion of choices between two answers: 1, 2, or 0 for a tie."""
_CHOICES: Final[Mapping[object, float]] = {0: 0.0, 1: 1.0, 2: 2.0, "1": 1.0, "2": 2.0, "Tie": 0.0}


def _reading(
    source: Source,
    on_bad: OnBad,
    parse: Callable[[Mapping[str, object], Row], Iterator[Judgement]],
    todo: str,
) -> Iterator[Record]:
    def parsed(row: Row) -> Sequence[Record]:
        if not isinstance(row.fields, Mapping):
            raise wrong(row.where, "", row.fields, "an object", todo)
        return list(parse(row.fields, row))

    return records(read_rows(source, on_bad), parsed, on_bad)


def _choice(given: object, row: Row, field: str) -> tuple[float | None, str | None]:
    """The choice, or the words in its place as the reason for none."""
    if not isinstance(given, bool | list | dict) and given in _CHOICES:
        return _CHOICES[given], None
    if given is None or isinstance(given, str):
        return None, given or "no verdict"
    raise wrong(row.where, field, given, "1, 2, or 0 for a tie", "Fix the verdict.")


def _call(collection: str, /, **options: object) -> str:
    """The name of a judge's numbers in a collection, with what tells them from others there."""
    return f"{collection}({','.join(f'{key}={value!r}' for key, value in options.items())})"


def _list(fields: Mapping[str, object], field: str, row: Row, size: int | None = None) -> list[object]:
    if field not in fields:
        raise missing(fields, field, row.where, "", "a list")
    given = fields[field]
    if not isinstance(given, list) or size not in (None, len(given)):
        raise wrong(row.where, field, given, "a list" + (f" of {size}" if size else ""), "Fix the list.")
    return given


def _table(fields: Mapping[str, object], field: str, row: Row) -> Mapping[str, object]:
    if field not in fields:
        raise missing(fields, field, row.where, "", "an object")
    given = fields[field]
    if not isinstance(given, Mapping):
        raise wrong(row.where, field, given, "an object", "Fix the object.")
    return given


def read_batcheval(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """People's means, whose rater is ``mean``, and each run of each judge, with the mean of its runs.

    A judge is a rater for each quality and run, ``batcheval(judge='gpt-4',quality='Overall',run=1)``.
    """
    return _reading(source, on_bad, _batcheval, "Name a file of scores, as fed_dialogue.scores.jsonl.gz.")


def _batcheval(fields: Mapping[str, object], row: Row) -> Iterator[Judgement]:
    item, system = name(fields, "item", row.where, ""), name(fields, "system", row.where, "")
    for quality, value in _table(fields, "human", row).items():
        yield Judgement(item, system, "mean", quality, *rating(value, row.where, f"human.{quality}"))
    judges = _table(fields, "judge", row)
    for judge in judges:
        for quality in (given := _table(judges, judge, row)):
            runs = [
                rating(value, row.where, f"judge.{judge}.{quality}").value
                for value in _list(given, quality, row)
            ]
            for number, value in enumerate(runs, 1):
                rater = _call("batcheval", judge=judge, quality=quality, run=number)
                yield Judgement(item, system, rater, "batcheval", value)
            known = [value for value in runs if value is not None]
            rater = _call("batcheval", judge=judge, quality=quality, run="mean")
            yield Judgement(item, system, rater, "batcheval", _mean(known))


def _mean(values: Sequence[float]) -> float | None:
    """The mean, rounded so that the same values in another order tie: in the last digit they may differ."""
    return round(math.fsum(values) / len(values), 12) if values else None


def read_llmbar(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """People's label and the judge's choice in both orders, on a criterion for each judge, prompt and set of pairs.

    The raters are ``people``, ``as given`` and ``swapped``; both choices name the answer by its place in the pair. The
    criterion is such as ``GPT-4 Vanilla on LLMBar/Natural``.
    """
    return _reading(source, on_bad, _llmbar, "Name a file of verdicts, as vanilla.jsonl.gz.")


def _llmbar(fields: Mapping[str, object], row: Row) -> Iterator[Judgement]:
    where = row.where
    judge, prompt, part = (text(fields, field, where, "") for field in ("judge", "prompt", "set"))
    item, criterion = f"llmbar-{item_of(fields, row, 'row')}", f"{judge} {prompt} on {part}"
    yield Judgement(item, "", PEOPLE, criterion, *_choice(fields.get("label"), row, "label"))
    for field, rater, words in (
        ("winner", "as given", "reply"),
        ("winner_swapped", "swapped", "reply_swapped"),
    ):
        if field not in fields:
            raise missing(fields, field, where, "", "1, 2, or null for no verdict")
        reply = fields.get(words)
        said = reply if isinstance(reply, str) and reply else None
        yield Judgement(item, "", rater, criterion, *_choice(fields[field], row, field), said)


def read_pandalm(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """The three people of the test set and what most of them chose, or a judge's choices with their reasons.

    People are ``r1`` to ``r3`` on the criterion ``better``; their majority is ``people``, on ``majority``, where judges
    are too. A judge has the name of its file: ``judge.pandalm-7b.jsonl.gz`` is ``pandalm-7b``.
    """
    judge = judge_in(source)

    def parse(fields: Mapping[str, object], row: Row) -> Iterator[Judgement]:
        item = f"pandalm-{item_of(fields, row, 'idx')}"
        if "annotator1" not in fields:
            reason = fields.get("reason")
            if "result" not in fields:
                raise missing(fields, "result", row.where, "", "1, 2, or 0 for a tie")
            choice = _choice(fields["result"], row, "result")
            for criterion in (CHOICE, _MAJORITY):
                yield Judgement(
                    item, "", judge, criterion, *choice, reason if isinstance(reason, str) else None
                )
            return
        chosen = [_choice(fields.get(f"annotator{n}"), row, f"annotator{n}") for n in (1, 2, 3)]
        for number, choice in enumerate(chosen, 1):
            yield Judgement(item, "", f"r{number}", CHOICE, *choice)
        values = [value for value, _ in chosen if value is not None]
        most = next((value for value in values if values.count(value) > len(chosen) / 2), None)
        yield Judgement(item, "", PEOPLE, _MAJORITY, most, None if most is not None else "no majority")

    return _reading(source, on_bad, parse, "Name the test set, or a file of verdicts.")


_MAJORITY: Final = "majority"


def judge_in(source: Source) -> str:
    """The judge that a file is named after."""
    if is_stdin(source):
        return "judge"
    stem = Path(source).name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return stem.removeprefix("judge.") or "judge"


def read_vicuna(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """GPT-4's scores of two systems' answers, and its choice, beside people's if they judged the pair.

    The criterion of the scores is ``score of PAIR``, that of choices ``better in PAIR``, the pair being the file that
    it was published in. GPT-4 is the rater ``gpt-4``, people are ``people``. The higher score wins, equal ones tie.
    """
    return _reading(source, on_bad, _vicuna, "Name the file reviews.jsonl.gz.")


def _vicuna(fields: Mapping[str, object], row: Row) -> Iterator[Judgement]:
    where = row.where
    item, pair = f"vicuna-{item_of(fields, row, 'item')}", text(fields, "file", where, "")
    said = fields.get("reply")
    reply = said if isinstance(said, str) else None
    scores = [rating(value, where, "score").value for value in _list(fields, "score", row, 2)]
    for system, value in zip(("system_1", "system_2"), scores, strict=True):
        rated = name(fields, system, where, "")
        yield Judgement(item, rated, "gpt-4", f"score of {pair}", value, evidence=reply)
    first, second = scores
    choice = (
        None
        if first is None or second is None
        else 0.0
        if first == second
        else 1.0
        if first > second
        else 2.0
    )
    yield Judgement(item, "", "gpt-4", f"better in {pair}", choice, evidence=reply)
    if "human" in fields:
        yield Judgement(item, "", PEOPLE, f"better in {pair}", *_choice(fields["human"], row, "human"))


def read_cascaded(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """People's choices, those of three judges, and the probability that each judge gives its choice.

    Choices are on the criterion ``better``; the probability of the choice is the rater
    ``cascaded(judge='gpt-4-turbo')`` on the criterion ``cascaded``.
    """
    return _reading(source, on_bad, _cascaded, "Name the file pairs.jsonl.gz.")


def _cascaded(fields: Mapping[str, object], row: Row) -> Iterator[Judgement]:
    item = f"cascaded-{item_of(fields, row, 'item')}"
    yield Judgement(item, "", PEOPLE, CHOICE, *_choice(fields.get("human"), row, "human"))
    probabilities = _table(fields, "probs", row)
    for judge in probabilities:
        pair = [
            rating(value, row.where, f"probs.{judge}").value for value in _list(probabilities, judge, row, 2)
        ]
        first, second = (value if value is not None else math.nan for value in pair)
        if not (0 <= first <= 1 and 0 <= second <= 1):
            raise wrong(row.where, f"probs.{judge}", pair, "two probabilities", "Fix the probabilities.")
        tie = first == second
        choice = None if tie else 1.0 if first > second else 2.0
        yield Judgement(item, "", judge, CHOICE, choice, "equal probabilities" if tie else None)
        yield Judgement(item, "", _call("cascaded", judge=judge), "cascaded", max(first, second))


class _Question(NamedTuple):
    item: str
    system: str


_ANSWERS: Final = (1, 2, 3, 4)


def read_llm_rubric(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """People's answers to each question, or what the judge gives: expected, most probable and sampled answers.

    Answers of 0 stand for none. Raters are ``r1``, ``r2`` ... by the annotators' numbers; the judge is a rater for each
    question and value, ``llm_rubric(question='Q0',value='expected')``. Its files do not name the systems, which are
    those of the dialogues in ``real.human.tsv`` beside the file; of the synthetic dialogues they are not known.
    """
    systems = _systems_beside(source)
    cells = read_cells(source, on_bad, delimiter="\t")
    rows = (Row(row.where, row.number, row.cells, row.text) for row in cells)

    def parse(row: Row) -> Sequence[Record]:
        given: Mapping[str, object] = row.fields  # type: ignore[assignment]  # the cells of a table
        item = name(given, "text_id", row.where, "")
        asked = _Question(item, systems.get(item, ""))
        return list(
            _rubric_judge(given, row, asked) if "criterion" in given else _rubric_people(given, row, asked)
        )

    return records(rows, parse, on_bad)


def _systems_beside(source: Source) -> dict[str, str]:
    """The system of each dialogue, from the ratings of real dialogues; nothing of other files."""
    if is_stdin(source) or not Path(source).name.startswith("real."):
        return {}
    path = Path(source).with_name("real.human.tsv")
    if not path.is_file():
        todo = "Keep the file beside it, as it was published, so that the systems are known."
        raise BadInput(
            shown(source), "no real.human.tsv beside it", "the ratings of the same dialogues", todo
        )
    return {
        row.cells["text_id"]: f"system {row.cells['dialogue_system']}"
        for row in read_cells(path, refuse, delimiter="\t")
    }


def _rubric_people(given: Mapping[str, object], row: Row, asked: _Question) -> Iterator[Judgement]:
    rater = f"r{name(given, 'annotator_id', row.where, '')}"
    for question in (column for column in given if column[:1] == "Q" and column[1:].isdigit()):
        value = rating_in_cell(str(given[question]), row.where, question).value
        reason = None if value else "no answer"
        yield Judgement(asked.item, asked.system, rater, question, value or None, reason)


def _rubric_judge(given: Mapping[str, object], row: Row, asked: _Question) -> Iterator[Judgement]:
    question = name(given, "criterion", row.where, "")
    chances = [
        rating_in_cell(
            text(given, f"answer{answer}_prob", row.where, ""), row.where, f"answer{answer}_prob"
        ).value
        for answer in _ANSWERS
    ]
    known = [chance for chance in chances if chance is not None]
    if len(known) < len(_ANSWERS) or not sum(known) > 0:
        raise wrong(
            row.where, "answer1_prob", chances, "a probability of each answer", "Fix the probabilities."
        )
    sample = rating_in_cell(text(given, "sample_llm", row.where, ""), row.where, "sample_llm").value
    expected = math.fsum(answer * chance for answer, chance in zip(_ANSWERS, known, strict=True))
    likeliest = _ANSWERS[known.index(max(known))]
    values = {"expected": expected, "most probable": float(likeliest), "sample": sample}
    for kind, value in values.items():
        rater = _call("llm_rubric", question=question, value=kind)
        yield Judgement(asked.item, asked.system, rater, "llm_rubric", value)
