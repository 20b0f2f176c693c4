from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dialeval.data.types import Context, Prompt, Response, Turn
from dialeval.encoder import Weights
from dialeval.errors import BadInput
from dialeval.systems import Echo, Gold, Random, Retrieval
from dialeval.systems.baselines import Method
from support.small_corpora import context, corpus, texts


def test_it_repeats_the_last_turn_word_for_word() -> None:
    context = (Turn("user", "Hello"), Turn("assistant", "Hi"), Turn("user", " How  are you?"))
    assert Echo("e").generate([context, (), context[:1]], n=5) == [
        (Response(" How  are you?"),),
        (),
        (Response("Hello"),),
    ]


@pytest.fixture
def system(tmp_path: Path) -> Random:
    path = tmp_path / "prompts.jsonl"
    # The text "common" follows three contexts and must not be three times as likely.
    texts = ["common", "common", "common", "rare", "odd"]
    lines = [{"id": str(at), "context": [], "references": [text]} for at, text in enumerate(texts)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return Random("r", path)


def contexts(count: int) -> list[Context]:
    return [(Turn("user", f"turn {at}"),) for at in range(count)]


def test_every_text_is_equally_likely(system: Random) -> None:
    drawn = Counter(answers[0].text for answers in system.generate(contexts(3000)))
    # Each is 1000 on average with a standard deviation of 26.
    assert drawn.keys() == {"common", "rare", "odd"}
    assert all(850 < count < 1150 for count in drawn.values())


def test_every_order_of_the_n_best_is_equally_likely(system: Random) -> None:
    drawn = Counter(tuple(one.text for one in answers) for answers in system.generate(contexts(6000), n=9))
    assert len(drawn) == 6
    assert all(850 < count < 1150 for count in drawn.values())


def test_seed_speaker_and_every_turn_matter(system: Random) -> None:
    asked = contexts(40)
    plain = system.generate(asked)
    assert system.generate(asked, seed=1) != plain
    assert system.generate([(Turn("assistant", one[0].text),) for one in asked]) != plain
    assert system.generate([(Turn("user", "before"), *one) for one in asked]) != plain


def test_the_draw_is_pinned(system: Random) -> None:
    # Published numbers rest on it: a change here must raise the version in the signature.
    assert [one.text for one in system.generate(contexts(1), n=3, seed=7)[0]] == ["rare", "odd", "common"]


both_methods = pytest.mark.parametrize("method", ["bm25", "tfidf"])


@both_methods
def test_it_says_what_followed_the_most_similar_turn(tmp_path: Path, method: Method) -> None:
    path = corpus(
        tmp_path / "c.jsonl",
        ["Hello!", "Do you like black tea?", "Only with milk.", "I see."],
        ["Hello!", "Do you like cats?", "I have two.", "Tea is nice."],
    )
    system = Retrieval("r", path, method)
    assert texts(system, "Do you drink black TEA") == ["Only with milk."]
    assert texts(system, "Any cats?") == ["I have two."]
    # 'Tea is nice.' is the last turn: nothing followed it, so it cannot be matched.
    assert texts(system, "Tea is nice, is it?") == ["Only with milk."]
    assert texts(system, "xyz") == []
    assert texts(system, "?!") == []


@both_methods
def test_the_n_best_are_different_texts_in_order(tmp_path: Path, method: Method) -> None:
    path = corpus(
        tmp_path / "c.jsonl", ["red tea", "A"], ["red tea later", "A"], ["red", "B"], ["tea tea", "C"]
    )
    system = Retrieval("r", path, method)
    found = texts(system, "Red tea, ok?", n=9)
    assert found[0] == "A"
    assert sorted(found) == ["A", "B", "C"]
    assert texts(system, "Red tea, ok?", n=2) == found[:2]


@both_methods
def test_the_item_itself_is_never_its_own_answer(tmp_path: Path, method: Method) -> None:
    dialogues = [
        ["Good morning.", "Morning! Coffee or tea?", "Tea, please.", "Here you are."],
        ["Good evening.", "Coffee or tea?", "Nothing, thanks.", "As you wish."],
    ]
    system = Retrieval("r", corpus(tmp_path / "c.jsonl", *dialogues), method)
    for turns in dialogues:
        for end in range(1, len(turns)):
            for start in range(end):  # however many of the last turns the test set kept
                assert turns[end] not in texts(system, *turns[start:end], n=9)
    assert texts(system, "Welcome!", "Morning! Coffee or tea?") == ["Tea, please."]  # another place: allowed
    assert "Tea, please." not in texts(system, "good  MORNING.", "Morning! Coffee or tea?")


@both_methods
def test_a_slightly_edited_copy_of_the_item_is_passed_over_too(tmp_path: Path, method: Method) -> None:
    copy = ["She is my grandma, you know.", "She looks very healthy.How old is she ?", "92."]
    other = ["He is my uncle, you know.", "How old is he?", "Sixty."]
    system = Retrieval("r", corpus(tmp_path / "c.jsonl", copy, other), method)
    item = ["She's my grandma, you know.", "She looks very healthy. How old is she?"]
    assert texts(system, *item) == ["Sixty."]
    assert "92." not in texts(system, *item, n=9)
    # One turn in common is not the same place, nor is a single turn that differs by a word.
    assert texts(system, "Who is that?", "She looks very healthy. How old is she?") == ["92."]
    assert texts(system, "She looks so very healthy. How old is she?") == ["92."]
    assert texts(system, "she looks very healthy; how old is she?") == ["Sixty."]


def test_a_longer_asked_context_that_ends_with_the_whole_of_the_places_is_passed_over(tmp_path: Path) -> None:
    system = Retrieval("r", corpus(tmp_path / "c.jsonl", ["Any tea?", "Yes."], ["No tea here?", "None."]))
    assert texts(system, "Hi.", "Hello.", "Any tea?") == ["None."]


def test_passing_over_many_places_still_finds_the_next(tmp_path: Path) -> None:
    same = [["tea?", f"answer {at}"] for at in range(200)]
    system = Retrieval("r", corpus(tmp_path / "c.jsonl", *same, ["some tea with cake?", "Gladly."]))
    assert texts(system, "tea?", n=2) == ["Gladly."]


def test_prompts_and_examples_are_corpora_too(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "Any tea today?"}]
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text(json.dumps({"id": "1", "context": asked, "references": ["Yes.", "No."]}) + "\n")
    assert texts(Retrieval("r", prompts), "tea", n=9) == ["Yes.", "No."]
    examples = tmp_path / "examples.jsonl"
    lines = [
        {"id": "1", "system": "s", "context": asked, "response": "said", "references": ["human"]},
        {"id": "2", "system": "s", "context": asked, "response": "only said"},
    ]
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert texts(Retrieval("r", examples), "tea", n=9) == ["human", "only said"]


def test_ties_go_to_the_earlier_place(tmp_path: Path) -> None:
    system = Retrieval("r", corpus(tmp_path / "c.jsonl", ["red tea", "first"], ["red tea", "second"]))
    assert texts(system, "tea", n=2) == ["first", "second"]


def test_a_changed_corpus_is_read_again(tmp_path: Path) -> None:
    path = corpus(tmp_path / "c.jsonl", ["red tea", "old"])
    system = Retrieval("r", path)
    assert texts(system, "tea") == ["old"]
    corpus(path, ["red tea", "newer"])
    assert texts(system, "tea") == ["newer"]


def test_a_corpus_that_cannot_serve_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone\.jsonl"):
        texts(Retrieval("r", tmp_path / "gone.jsonl"), "tea")
    judgements = tmp_path / "ratings.jsonl"
    judgements.write_text('{"item": "1", "system": "s", "rater": "r", "criterion": "c", "value": 1}\n')
    with pytest.raises(BadInput, match="judgement records"):
        texts(Retrieval("r", judgements), "tea")
    bare = tmp_path / "prompts.jsonl"
    bare.write_text('{"id": "1", "context": [{"role": "user", "content": "Any tea?"}]}\n')
    with pytest.raises(BadInput, match="no turn that answers another"):
        texts(Retrieval("r", bare), "tea")


@pytest.mark.parametrize("method", ["bm25", "tfidf", "encoder"])
def test_a_corpus_in_which_nothing_answers_anything_is_refused(tmp_path: Path, method: Method) -> None:
    path = corpus(tmp_path / "c.jsonl", ["Hello!"], ["Good day."])
    with pytest.raises(BadInput, match=r"c\.jsonl: found no turn that comes before a response"):
        Retrieval("r", path, method).generate([context("Hello!")])


@both_methods
def test_instructions_are_not_looked_for(tmp_path: Path, method: Method) -> None:
    path = corpus(tmp_path / "c.jsonl", ["Do you sell tea?", "We do."], ["Be kind.", "Always."])
    asked = (Turn("user", "Tea, please."), Turn("system", "Be kind."))
    assert Retrieval("r", path, method).generate([asked]) == Retrieval("r", path, method).generate(
        [asked[:1]]
    )


def test_it_finds_what_says_the_same_in_other_words(minilm: Weights, tmp_path: Path) -> None:
    path = corpus(
        tmp_path / "c.jsonl",
        ["My automobile will not start.", "Have you called a garage?"],
        ["This movie bored me.", "Then watch another one."],
    )
    system = Retrieval("r", path, "encoder")
    assert texts(system, "The film was dull") == ["Then watch another one."]
    assert texts(system, "the car is broken") == ["Have you called a garage?"]
    assert texts(Retrieval("r", path, "bm25"), "the car is broken") == []
    assert texts(system, "xyzzy", n=5) != []
    assert system.generate([()]) == [()]


def test_the_encoder_is_in_the_signature_and_among_the_resources(minilm: Weights, tmp_path: Path) -> None:
    path = corpus(tmp_path / "c.jsonl", ["Hi.", "Hello."])
    system = Retrieval("r", path, "encoder")
    assert f"encoder={minilm.fact}" in str(system.signature)
    assert dict(system.resources) == {minilm.name: minilm.sha256}
    assert dict(Retrieval("r", path).resources) == {}


@pytest.mark.parametrize(
    ("which", "text"),
    [("first", "Good day."), ("last", "Hi!"), ("shortest", "Hi!"), ("longest", "Good day.")],
)
def test_gold_answers_with_a_reference(which, text):
    prompts = [
        Prompt("a", (Turn("user", "Hello."),), ("Good day.", "Hello.", "Hi!")),
        Prompt("b", (Turn("user", "Hello."),)),
    ]
    assert Gold("gold", which).replay(prompts) == [(Response(text),), ()]


def test_random_gold_follows_from_the_item_and_takes_every_reference():
    references = ("one", "two", "three")
    prompts = [Prompt(str(item), (Turn("user", "Hello."),), references) for item in range(60)]
    said = [response.text for (response,) in Gold("gold", "random").replay(prompts)]
    assert set(said) == set(references)
    assert Gold("gold", "random").replay(prompts[30:]) == [(Response(text),) for text in said[30:]]
