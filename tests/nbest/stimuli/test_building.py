"""Stimuli from pairs: what is written, what is left out and under which rule."""

from __future__ import annotations

import pytest

from dialeval.errors import BadInput
from dialeval.nbest.stimuli.building import build_stimuli, history_of
from dialeval.nbest.stimuli.pairs import Pair, read_pairs
from dialeval.nbest.stimuli.rules import HYPOTHESIS_RULES, PREMISE_RULES
from dialeval.nbest.stimuli.sentence import PerceptronTags, SpacyTags, analyse
from dialeval.resources import check
from dialeval.resources.tagger import RESOURCE

PREMISE = "yeah i'm in North Carolina"


@pytest.fixture(scope="module")
def tagger():
    if check(RESOURCE, verify=False).state == "absent":
        pytest.skip("the tagger is not installed")
    pytest.importorskip("lemminflect")
    return PerceptronTags()


def built(tagger, *pairs, hold_back=False):
    rows = [Pair(str(number), *pair) for number, pair in enumerate(pairs, start=1)]
    return build_stimuli(rows, tagger, hold_back=hold_back)


def test_table_5_1(tagger):
    found = built(
        tagger,
        (PREMISE, "I'm in North Carolina.", "entailment"),
        (PREMISE, "I'm in South Carolina.", "contradiction"),
    )
    first, second = found.stimuli
    assert [turn.text for turn in first.context] == [
        "Yeah I'm in North Carolina.",
        "Are you in North Carolina?",
    ]
    assert [turn.speaker for turn in first.context] == ["assistant", "user"]
    assert (first.id, first.kind, first.expected) == ("entq-1", "ENTQ", "yes")
    assert second.context[1].text == "Aren't you in South Carolina?"
    assert (second.id, second.kind, second.expected) == ("cntq-2", "CNTQ", "no")
    assert not found.excluded


def test_table_5_7(tagger):
    found = built(
        tagger,
        (PREMISE, "I'm in North Carolina.", "entailment"),
        (PREMISE, "I'm in South Carolina.", "contradiction"),
        hold_back=True,
    )
    rows = [
        (question.item, question.context[1].text, *(candidate.text for candidate in question.candidates))
        for question in found.training
    ]
    north, south = "I'm in North Carolina.", "I'm in South Carolina."
    assert rows == [
        ("1-PositiveQ1", "Are you in North Carolina?", f"Yes, {north}", f"No, {south}"),
        ("1-PositiveQ2", "Are you in South Carolina?", f"No, {north}", f"Yes, {south}"),
        ("1-NegativeQ1", "Aren't you in North Carolina?", f"Yes, {north}", f"No, {south}"),
        ("1-NegativeQ2", "Aren't you in South Carolina?", f"No, {north}", f"Yes, {south}"),
    ]
    assert [[candidate.correct for candidate in question.candidates] for question in found.training] == [
        [True, False]
    ] * 4
    assert found.stimuli == []
    assert found.excluded == {"kept for training": 2}


@pytest.mark.parametrize(
    ("premise", "rule"),
    [
        ("where are you", "question-mark"),
        ("oh well the red one", "no-verb"),
        ("just go", "no-subject"),
        ('he said "no" to me', "quotes"),
        (
            "I went " + "very " * 3 + "far and " + "then we went to a place that was near the sea " * 3,
            "too-long",
        ),
        ("and I and I went home", "repetition"),
        ("it was uh it was good", "repetition"),
    ],
)
def test_every_rule_on_premises(tagger, premise, rule):
    text = premise + "?" if rule == "question-mark" else premise
    found = built(tagger, (text, "I went home.", "entailment"))
    assert dict(found.excluded) == {f"premise: {rule}": 1}
    assert rule in PREMISE_RULES


@pytest.mark.parametrize(
    ("hypothesis", "rule"),
    [
        ("I like it!", "question-or-exclamation-mark"),
        ("I don't like it.", "negation"),
        ("I have no dog.", "negation"),
        ("Nobody came.", "negation"),
        ("I like " + "very " * 30 + "old cars.", "too-long"),
        ("Well, I like it.", "comma"),
        ("I like it but she does.", "coordination"),
        ('I like "it".', "quotes"),
        ("I like (some of) it.", "marks"),
        ("Often I like it.", "beginning"),
        ("I like it. He does.", "full-stop-inside"),
        ("I live here.", "here-or-there"),
        ("I saw saw it.", "repeated-word"),
        ("Looks like it will rain.", "no-subject"),
        ("A women is cooking.", "article"),
        ("The rocks make a them look good.", "article"),
        ("The man is hammering a.", "article"),
        ("A nice day.", "no-verb"),
        ("Table 42 shows deductions are costly.", "unclear-subject"),
        ("We'd better leave.", "unusual modal"),
        ("The man I know is tall.", "several-subjects"),
        ("You may go.", "unusual modal"),
    ],
)
def test_every_rule_on_hypotheses(tagger, hypothesis, rule):
    found = built(tagger, (PREMISE, hypothesis, "entailment"))
    assert dict(found.excluded) == {f"hypothesis: {rule}": 1}


def test_every_rule_has_a_case():
    cases = {case[1] for case in test_every_rule_on_hypotheses.pytestmark[0].args[1]}
    assert HYPOTHESIS_RULES.keys() <= cases
    assert PREMISE_RULES.keys() <= {case[1] for case in test_every_rule_on_premises.pytestmark[0].args[1]}


def test_labels_that_decide_nothing_are_counted(tagger):
    found = built(tagger, (PREMISE, "I like it.", "neutral"), (PREMISE, "I like it.", None))
    assert dict(found.excluded) == {"label: neutral": 1, "label: none": 1}


def test_a_contradicted_hypothesis_without_negative_form_is_counted(tagger):
    found = built(tagger, (PREMISE, "The train might be late.", "contradiction"))
    assert dict(found.excluded) == {"hypothesis: no negative form": 1}


def test_a_name_that_opens_both_sentences_keeps_its_capital(tagger):
    found = built(tagger, ("Wright didn't do much.", "Wright did so much.", "contradiction"))
    assert found.stimuli[0].context[1].text == "Didn't Wright do so much?"
    plain = built(tagger, ("Dogs didn't bark.", "Dogs barked.", "contradiction"))
    assert plain.stimuli[0].context[1].text == "Didn't dogs bark?"


def test_a_history_has_a_capital_and_an_end():
    assert history_of("well i think  so") == "Well I think so."
    assert history_of("I do!") == "I do!"


class TestReadingPairs:
    def test_names_of_the_corpora(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_text(
            '{"sentence1": "p", "sentence2": "h", "gold_label": "-", "pairID": "7e", "genre": "telephone"}\n'
            '{"premise": "p", "hypothesis": "h", "label": "e"}\n'
        )
        first, second = read_pairs(path)
        assert first == Pair("7e", "p", "h", None, "telephone")
        assert second == Pair("2", "p", "h", "entailment")

    @pytest.mark.parametrize(
        ("label", "relation", "numbered"),
        [
            ("0", "entailment", True),
            ("1", "neutral", True),
            ("2", "contradiction", True),
            ('"2"', "contradiction", True),
            ("-1", None, True),
            ('" Contradiction"', "contradiction", False),
        ],
    )
    def test_labels_may_be_the_numbers_of_hugging_face(self, tmp_path, label, relation, numbered):
        path = tmp_path / "a.jsonl"
        path.write_text(f'{{"premise": "p", "hypothesis": "h", "label": {label}}}\n')
        (pair,) = read_pairs(path)
        assert (pair.relation, pair.numbered) == (relation, numbered)

    @pytest.mark.parametrize(
        ("line", "found"),
        [
            ('{"premise": "p", "hypothesis": "h", "label": "maybe"}', "label"),
            ('{"premise": "p", "hypothesis": "h", "label": 3}', "label"),
            ('{"premise": "p", "hypothesis": "h", "label": true}', "label"),
            ('{"premise": "p", "hypothesis": "h", "label": 1.0}', "label"),
            ('{"premise": "p", "label": "neutral"}', "hypothesis"),
            ("[1]", "line 1"),
        ],
    )
    def test_a_bad_line_names_the_field(self, tmp_path, line, found):
        path = tmp_path / "a.jsonl"
        path.write_text(line + "\n")
        with pytest.raises(BadInput, match=found):
            list(read_pairs(path))


def test_a_spacy_pipeline_supplies_words_and_tags():
    class Token:
        def __init__(self, text, tag):
            self.text, self.tag_, self.is_space = text, tag, not text.strip()

    class Pipeline:
        meta = {"name": "core_web_sm", "version": "3.8"}  # noqa: RUF012

        def pipe(self, texts):
            return [[Token("It", "PRP"), Token("'s", "VBZ"), Token(" ", "_SP"), Token("cold", "JJ")]] * len(
                texts
            )

    tags = SpacyTags(Pipeline())
    (sentence,) = analyse(["It's cold"], tags)
    assert [(word.text, word.tag, word.glued) for word in sentence] == [
        ("It", "PRP", False),
        ("'s", "VBZ", True),
        ("cold", "JJ", False),
    ]
    assert tags.name == "spacy-core_web_sm-3.8"
