"""A classifier trained on a few exchanges: it learns them, resumes, and runs without torch as it was trained."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dialeval.nbest.answers import classifier
from dialeval.nbest.answers.classifier import SHIPPED, FirstWord, load_classifier
from dialeval.nbest.answers.corpus import Exchange, Parts

pytestmark = pytest.mark.usefixtures("embedded_encoder")


@pytest.fixture(scope="session")
def embedded_encoder():
    from dialeval.encoder.files import EMBEDDED, find_encoder
    from dialeval.errors import ResourceUnavailable

    try:
        return find_encoder(EMBEDDED)
    except ResourceUnavailable:
        pytest.skip("the encoder is not installed")


def exchanges(start: int, count: int) -> list[Exchange]:
    said = {"yes": "I love it.", "no": "I hate it.", "ambiguous": "Hard to say."}
    rows = []
    for number in range(start, start + count):
        label = ("yes", "no", "ambiguous")[number % 3]
        shares = tuple(float(label == each) for each in said)
        rows.append(
            Exchange(str(number), f"Do you like thing {number}?", said[label], label, shares, f"s{number}")
        )
    return rows


@pytest.mark.slow
def test_a_classifier_learns_and_runs_without_torch(tmp_path):
    pytest.importorskip("torch")
    from dialeval.nbest.answers.training import YesNoConfig, train_yesno

    config = YesNoConfig()
    config = replace(
        config,
        finetuning=replace(config.finetuning, rank=4, alpha=8.0, longest=32),
        schedule=replace(config.schedule, epochs=4, learning_rate=3e-3, evaluate_every=0),
        batch=12,
    )
    parts = Parts(exchanges(0, 48), exchanges(48, 12), exchanges(60, 12))
    done = train_yesno(parts, config, tmp_path)
    assert done.test.accuracy.value == 1.0
    assert done.rule.accuracy.value == pytest.approx(1 / 3)
    card = (tmp_path / "README.md").read_text()
    assert "held out, first word" in card
    assert "| held out | 12 | 1.000" in card
    reader = load_classifier(tmp_path)
    readings = reader.read(["Do you like thing 99?"] * 4, ["I love it.", "I hate it.", "Hard to say.", " "])
    assert [reading.label for reading in readings] == ["yes", "no", "ambiguous", "ambiguous"]
    assert reader.thresholds == done.thresholds


ASSETS = Path(classifier.__file__).parent / "assets"


class TestTheShippedClassifier:
    def test_it_is_small_and_its_card_is_beside_it(self):
        for file in SHIPPED.values():
            assert (ASSETS / file).stat().st_size <= 2_000_000
        assert "Circa" in (ASSETS / "README.md").read_text()

    def test_direct_and_indirect_answers(self):
        asked = [
            ("Do you have a dog?", "Yes, two of them.", "yes"),
            ("Don't you have a dog?", "No, only cats.", "no"),
            ("Do you like the sea?", "I could look at it all day.", "yes"),
            ("Do you drink coffee?", "I gave it up two years ago.", "no"),
            ("Are you employed?", "I'm a nurse at the hospital.", "yes"),
            ("Do you like sushi?", "I can't stand fish.", "no"),
        ]
        readings = load_classifier().read([q for q, _, _ in asked], [a for _, a, _ in asked])
        labels = [reading.label for reading in readings]
        assert all(given in (label, "ambiguous") for given, (_, _, label) in zip(labels, asked, strict=True))
        assert labels.count("ambiguous") <= 2, "indirect ones may be, two of these four"
        assert [labels[0], labels[1]] == ["yes", "no"], "direct answers are read"

    def test_an_answer_about_something_else_is_neither_yes_nor_no(self):
        asked = [
            ("Do you have a car?", "Bananas are yellow."),
            ("Do you like jazz?", "The train to the airport leaves at noon."),
        ]
        readings = load_classifier().read([q for q, _ in asked], [a for _, a in asked])
        assert [reading.label for reading in readings] == ["ambiguous"] * 2

    def test_its_signature_names_the_adapter_and_its_resources(self):
        reader = load_classifier()
        assert str(reader.signature).startswith("yesno(threshold=")
        assert SHIPPED["shipped-minilm"] in load_classifier(Path("shipped-minilm")).resources
        assert load_classifier(threshold=0.9).signature != reader.signature

    def test_the_one_on_the_larger_base_reads_indirect_answers_and_is_taken_if_it_can_be(self, deberta):
        asked = [
            ("Do you like the sea?", "I could look at it all day.", "yes"),
            ("Do you drink coffee?", "I gave it up two years ago.", "no"),
            ("Are you employed?", "I'm a nurse at the hospital.", "yes"),
            ("Do you like sushi?", "I can't stand fish.", "no"),
            ("Do you have a car?", "Bananas are yellow.", "ambiguous"),
        ]
        larger = load_classifier()
        readings = larger.read([q for q, _, _ in asked], [a for _, a, _ in asked])
        assert (
            sum(reading.label == label for reading, (_, _, label) in zip(readings, asked, strict=True)) >= 4
        )
        assert SHIPPED["shipped-deberta"] in larger.resources
        assert larger.signature != load_classifier(Path("shipped-minilm")).signature

    def test_no_answers_give_no_readings(self):
        assert load_classifier().read([], []) == []
        assert FirstWord().read([], []) == []


def test_on_circa_beyond_the_majority(shared_data):
    from dialeval.nbest.answers.corpus import read_exchanges, split_exchanges

    files = sorted((shared_data / "circa").glob("scenario*.tsv"))
    unseen = split_exchanges(read_exchanges(files).exchanges, "scenario", 0).test
    rows = np.random.default_rng(1).permutation(len(unseen))[:150]
    some = [unseen[row] for row in rows]
    readings = load_classifier().read([e.question for e in some], [e.answer for e in some])
    right = np.mean([reading.label == e.label for reading, e in zip(readings, some, strict=True)])
    # 0.84 of all; 150 of them are within 0.09 of that nineteen times out of twenty.
    assert right > 0.75, json.dumps(float(right))
