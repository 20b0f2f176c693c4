"""Curves by beam size: a search of its own for each size, and no prefix of another list."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from dialeval.core import Signature
from dialeval.data.types import Response
from dialeval.errors import Unsuitable
from dialeval.evaluation.measure import Respondent, Tools
from dialeval.evaluation.runner import Plan, break_down
from dialeval.nbest.measure import NBestLists, nbest, nbest_variety
from dialeval.nbest.measuring.judged import SweptList
from dialeval.nbest.measuring.lists import beam_of, decoded_by
from dialeval.systems.baselines import Echo
from dialeval.systems.decoding import Decoding


@dataclass(frozen=True)
class Beams:
    """Says yes once, as its first response to a search of two beams and its last to any other."""

    name: str = "bot"
    decoding: Decoding = field(default_factory=lambda: Decoding(max_tokens=7))

    @property
    def signature(self) -> Signature:
        return Signature("beams", (), (("decoding", self.decoding.fact),))

    def generate(self, contexts, *, n=1, seed=0):
        beams = self.decoding.beams
        texts = ["Yes."] + ["No."] * (beams - 1) if beams == 2 else ["No."] * (beams - 1) + ["Yes."]
        return [tuple(map(Response, texts[:n])) for _ in contexts]


class Silent(Beams):
    """Gives no response by large beams."""

    def generate(self, contexts, *, n=1, seed=0):
        few = super().generate(contexts, n=n, seed=seed)
        return few if self.decoding.beams < 4 else [() for _ in contexts]


@pytest.fixture
def stimuli(tmp_path):
    context = [
        {"role": "assistant", "content": "I'm in Texas."},
        {"role": "user", "content": "Are you in Texas?"},
    ]
    rows = [{"id": str(n), "context": context, "expected": "yes"} for n in range(3)]
    path = tmp_path / "stimuli.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def points(measure, stimuli, system):
    subjects = measure.subjects({"stimuli": stimuli}, Respondent(system, ()), Tools())
    parts = break_down("nbest", "bot", measure.breakdowns(subjects), Plan())
    return subjects, {tuple(part.part.items())[-1]: (part.estimate.value, part.estimate.n) for part in parts}


def test_each_size_is_a_search_and_the_prefixes_have_another_name(stimuli):
    options = {"n": 4, "reader": "first_word", "beams": "2,4", "sizes": "2,4"}
    _, certain = points(nbest(str(stimuli), **options), stimuli, Beams())
    # The first two of four beams both deny: a prefix has no consistent response, the search with two beams has one.
    assert certain == {
        ("stimuli", "ENTQ"): (1.0, 3),
        ("beams", 2): (1.0, 3),
        ("beams", 4): (1.0, 3),
        ("first", 2): (0.0, 3),
        ("first", 4): (1.0, 3),
    }
    _, varied = points(nbest_variety(str(stimuli), **options), stimuli, Beams())
    assert (varied["beams", 2], varied["beams", 4]) == ((0.5, 3), (0.25, 3))


def test_the_lists_of_every_size_are_written(stimuli, tmp_path):
    measure = nbest(str(stimuli), n=2, reader="first_word", beams="1,2,3")
    subjects, _ = points(measure, stimuli, Beams())
    NBestLists().write(tmp_path, [("nbest", subjects)])
    rows = [json.loads(line) for line in (tmp_path / "sweep.jsonl").read_text().splitlines()]
    assert [(row["id"], row["beams"], len(row["responses"])) for row in rows[:3]] == [
        ("0", 1, 1),
        ("0", 2, 2),
        ("0", 3, 3),
    ]
    assert len((tmp_path / "nbest.jsonl").read_text().splitlines()) == 3
    NBestLists().write(tmp_path, [])
    assert not (tmp_path / "sweep.jsonl").exists()


def test_a_size_without_any_response_is_told(stimuli):
    subjects, _ = points(nbest(str(stimuli), n=2, reader="first_word", beams="2,3"), stimuli, Silent())
    assert all(isinstance(each, SweptList) for each in subjects)
    with pytest.raises(Unsuitable, match="no response to any"):
        points(nbest(str(stimuli), n=2, reader="first_word", beams="2,4"), stimuli, Silent())


def test_the_profile_of_the_thesis_has_no_length_penalty():
    own = Beams(decoding=Decoding("nucleus", max_tokens=7))
    thesis = decoded_by(own, None, 10, "thesis").decoding
    assert thesis == Decoding("beam", beams=10, length_penalty=0.0, max_tokens=7)
    assert beam_of(own, 5, None, "thesis").decoding == Decoding(
        "beam", beams=5, length_penalty=0.0, max_tokens=7
    )
    assert beam_of(own, 5, None).decoding.length_penalty == 1.0
    assert decoded_by(own, None, 10).decoding == own.decoding  # it samples, so it has as many as asked for
    assert beam_of(own, 5, "beam(length_penalty=0.5)").decoding == Decoding(
        "beam", beams=5, length_penalty=0.5, max_tokens=40
    )


@pytest.mark.parametrize(
    ("system", "decoding", "message"),
    [
        (Echo("echo"), None, "no beam search whose size"),
        (Beams(), "nucleus(top_p=0.9)", "beam sizes are those of the method 'beam'"),
    ],
)
def test_what_has_no_beams_is_refused_with_the_other_way(system, decoding, message):
    with pytest.raises(Unsuitable, match=message):
        beam_of(system, 5, decoding)


def test_the_profile_decodes_by_itself():
    with pytest.raises(Unsuitable, match="profile 'thesis', which has its own"):
        decoded_by(Beams(), "beam(beams=3)", 3, "thesis")
    with pytest.raises(Unsuitable, match="no decoding"):
        decoded_by(Echo("echo"), None, 3, "thesis")
