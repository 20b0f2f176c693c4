from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.catalogue.building import build_system
from dialeval.data import read
from dialeval.data.types import Turn
from dialeval.errors import DialevalError, ResourceUnavailable
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.generators.system import Nlg, lines
from dialeval.nlg.generators.trainer import train
from dialeval.systems.decoding import Decoding
from support.small_nlg import by_heart, made_items, made_split


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "hld"
    train(made_split(), by_heart("hld-sclstm"), folder)
    return folder


def asked(*acts: str) -> list[tuple[Turn, ...]]:
    return [(Turn("user", act),) for act in acts]


def test_acts_in_any_notation_are_answered(folder: Path) -> None:
    contexts = asked(
        "inform(name='udupi palace';food=thai)",
        '{"act": "inform", "slots": {"name": "udupi palace", "food": "thai"}}',
        "goodbye()",
    )
    answers = Nlg("mine", folder).generate(contexts, n=3)
    assert [responses[0].text for responses in answers] == [
        "udupi palace serves thai food",
        "udupi palace serves thai food",
        "thank you , goodbye",
    ]
    assert all(response.logprob is not None and response.logprob < 0 for response in answers[0])
    assert len({response.text for response in answers[0]}) == len(answers[0]) == 3


def test_a_context_without_an_act_is_explained(folder: Path) -> None:
    system = Nlg("mine", folder)
    (empty,), (chat,) = system.generate([(), *asked("How are you?")])
    assert empty.missing == chat.missing == "no act"
    assert system.refuses(asked("How are you?")[0]) == chat.missing
    assert system.refuses(asked("goodbye()")[0]) is None


def test_batches_change_no_text(folder: Path) -> None:
    contexts = asked(
        *(f"inform(name='{name}';area=north)" for name in ("x", "kiss seafood", "a b c")), "request(area)"
    )
    whole = Nlg("mine", folder).generate(contexts, n=4)
    single = [
        answers
        for context in contexts
        for answers in Nlg("mine", folder, batch_size=1).generate([context], n=4)
    ]
    assert [[r.text for r in answers] for answers in whole] == [
        [r.text for r in answers] for answers in single
    ]


def test_reranking_puts_sentences_without_slot_errors_first(folder: Path) -> None:
    meanings = [item.meaning for item in made_items()]
    # One update of training is enough to say something, and too little to say it right.
    errors = {}
    for penalty in (0.0, 100.0):
        wide = Nlg("mine", folder, Decoding("beam", beams=20, max_tokens=12, length_penalty=0.0), penalty)
        written = wide.write(meanings, n=20, seeds=[0] * len(meanings))
        errors[penalty] = [
            [sentence.errors for sentence in sentences] for sentence in [0] for sentences in written
        ]
    assert all(sorted(each) == each for each in errors[100.0])
    assert any(sorted(each) != each for each in errors[0.0])


def test_where_slots_are_wrong_more_sentences_are_tried(folder: Path) -> None:
    # Slots that were never met together, so that the likeliest sentence leaves some of them out.
    strange = ("food=thai;kidsallowed=no", "food=thai;area=north", "area=north;kidsallowed=yes")
    meanings = [parse_act(f"inform(name='udupi palace';{slots})") for slots in strange]
    narrow = Decoding("beam", beams=1, max_tokens=12, length_penalty=0.0)

    def errors(retry: int) -> list[int]:
        system = Nlg("mine", folder, narrow, retry=retry)
        written = system.write(meanings, n=1, seeds=[0] * len(meanings))
        assert f"retry={retry}" in str(system.signature)
        return [sentences[0].errors for sentences in written]

    once, again = errors(1), errors(40)
    assert all(later <= first for first, later in zip(once, again, strict=True))
    assert sum(again) < sum(once)


def test_drawn_sentences_are_put_in_order_by_slot_errors_and_drawn_again(folder: Path) -> None:
    """Ten draws hold fewer errors than one, fifty more fewer still; without beams nothing is searched."""
    meanings = [parse_act(f"inform(name='{name}';food=thai;area=north)") for name in "abcdefgh"]
    wild = Decoding("sample", temperature=3.0, max_tokens=12)

    def errors(samples: int, penalty: float, retry: int) -> int:
        system = Nlg("mine", folder, wild, penalty, retry, samples=samples)
        written = system.write(meanings, n=1, seeds=range(len(meanings)))
        assert all(len(sentences) == 1 for sentences in written)
        return sum(sentences[0].errors for sentences in written)

    one, ten, again = errors(1, 0, 1), errors(10, 100, 1), errors(10, 100, 5)
    assert one > ten > again
    drawn, searched = (Nlg("mine", folder, each).signature for each in (wild, Decoding("beam")))
    assert ("samples", "10") in drawn.facts
    assert "samples" not in dict(searched.facts)


def test_an_act_that_was_never_met_is_warned_of(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (answers,) = Nlg("mine", folder).generate(asked("recommend(name=x;wine=red)"))
    assert answers[0].text
    assert (
        "1 of 1 acts have parts that the training data do not have, such as 'recommend-name'" in caplog.text
    )


def test_a_folder_is_a_system_by_its_path(folder: Path) -> None:
    system = build_system(str(folder))
    assert system == Nlg("hld", folder)
    assert str(system.signature).startswith("nlg|model=hld-sclstm|weights=")
    assert "penalty=100" in str(system.signature)


def test_other_folders_and_settings_are_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ResourceUnavailable, match=r"lacks nlg\.json.*dialeval train nlg"):
        _ = Nlg("mine", tmp_path).signature
    with pytest.raises(DialevalError, match="batch_size: found 0"):
        Nlg("mine", folder, batch_size=0)
    with pytest.raises(DialevalError, match="penalty: found -1"):
        Nlg("mine", folder, penalty=-1)
    with pytest.raises(DialevalError, match="retry: found 0"):
        Nlg("mine", folder, retry=0)


def test_lines_are_nbest_lists_with_act_and_references(tmp_path: Path, folder: Path) -> None:
    items = made_items()[:3]
    written = Nlg("mine", folder).write([item.meaning for item in items], n=2, seeds=[0, 0, 0])
    path = tmp_path / "out.jsonl"
    path.write_bytes(lines(items, "mine", written))
    (first, *_), rows = (
        list(read(path, "nbest")),
        [json.loads(text) for text in path.read_text().splitlines()],
    )
    assert (first.item, first.system, len(first.responses)) == ("i0", "mine", 2)
    assert parse_act(first.context[-1].text) == items[0].meaning == parse_act(rows[0]["act"])
    assert rows[0]["references"] == list(items[0].references)
    assert rows[0]["response"] == first.responses[0].text
