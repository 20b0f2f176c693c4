from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval import data
from dialeval.core import LikelihoodModel
from dialeval.data.types import NBest, Prompt, Response, Turn
from dialeval.errors import BadInput, Unsuitable
from dialeval.systems import Transcript

ASKED = {"role": "user", "content": "How are you?"}
PROMPT = Prompt("1", (Turn("user", "Hello!"), Turn("user", "How are you?")))


def write(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def record(item: str, system: str = "bot", **more: object) -> dict[str, object]:
    return {"id": item, "system": system, "context": [], "response": f"{system} on {item}"} | more


def test_responses_are_found_by_id(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", record("2"), record("1"), record("3"))
    prompts = [Prompt("1", ()), Prompt("9", ()), Prompt("2", ())]
    assert Transcript("t", path).replay(prompts) == [(Response("bot on 1"),), (), (Response("bot on 2"),)]


def test_an_n_best_list_is_replayed_whole(tmp_path: Path) -> None:
    responses = [{"text": "a", "logprob": -1.5}, {"text": "b"}]
    path = write(tmp_path / "t.jsonl", {"id": "1", "system": "bot", "context": [], "responses": responses})
    assert Transcript("t", path).replay([PROMPT]) == [(Response("a", -1.5), Response("b"))]


def test_one_of_several_systems_is_chosen_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", record("1", "old"), record("1", "new"))
    assert Transcript("t", path, "new").replay([PROMPT]) == [(Response("new on 1"),)]
    assert Transcript("t", path, "new").signature != Transcript("t", path, "old").signature
    with pytest.raises(
        BadInput, match=r"found 'new', 'old', expected one system\. Say which with 'system: NAME'"
    ):
        Transcript("t", path).replay([PROMPT])
    with pytest.raises(BadInput, match="found 'new', 'old', expected responses of 'newer'"):
        Transcript("t", path, "newer").replay([PROMPT])


def test_the_only_system_need_not_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", record("1", "bot"))
    assert Transcript("t", path).replay([PROMPT]) == Transcript("t", path, "bot").replay([PROMPT])


def test_an_answer_to_another_turn_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", record("1", context=[{"role": "user", "content": "Where is it?"}]))
    with pytest.raises(BadInput) as caught:
        Transcript("t", path).replay([PROMPT])
    message = str(caught.value)
    assert "found item '1' as an answer to 'where is it?', expected an answer to 'how are you?'" in message
    assert "Give both files the same ids" in message


def test_a_shorter_context_and_other_spacing_are_no_other_turn(tmp_path: Path) -> None:
    same = {"role": "assistant", "content": " how are\nYOU? "}
    path = write(tmp_path / "t.jsonl", record("1", context=[same]), record("2", context=[ASKED]))
    transcript = Transcript("t", path)
    assert transcript.replay([PROMPT, Prompt("2", ())]) == [(Response("bot on 1"),), (Response("bot on 2"),)]


def test_two_responses_to_one_item_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", record("1"), record("1", response="again"))
    with pytest.raises(BadInput, match="'1'"):
        Transcript("t", path).replay([PROMPT])


@pytest.mark.parametrize("content", ["", '{"id": "1", "context": []}\n', "one response\nanother\n"])
def test_a_file_that_records_no_responses_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(content)
    with pytest.raises(BadInput, match=r"t\.jsonl"):
        Transcript("t", path).replay([PROMPT])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone\.jsonl"):
        Transcript("t", tmp_path / "gone.jsonl").replay([PROMPT])
    with pytest.raises(BadInput, match=r"gone\.jsonl"):
        _ = Transcript("t", tmp_path / "gone.jsonl").signature


def test_recorded_likelihoods_are_found_by_context_and_text(tmp_path: Path) -> None:
    lists = tmp_path / "nbest.jsonl"
    tea, rain = (Turn("user", "Tea?"),), (Turn("user", "Rain?"),)
    data.write(
        lists,
        [
            NBest("1", "a", tea, (Response("Yes.", -1.0), Response("No.", -2.5))),
            NBest("2", "a", rain, (Response("Yes.", -0.5), Response("Hm."))),
        ],
    )
    system = Transcript("a", lists)
    assert isinstance(system, LikelihoodModel)
    assert system.logprob([rain, tea, tea], ["Yes.", "Yes.", "No."]).tolist() == [-0.5, -1.0, -2.5]
    with pytest.raises(Unsuitable, match=r"no log-probability for 1 of 2 responses, the first being 'Hm\.'"):
        system.logprob([tea, rain], ["Yes.", "Hm."])
    with pytest.raises(Unsuitable, match="no numbers of tokens"):
        system.tokens(["Yes."])


def test_a_file_of_other_records_is_named_for_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_text('{"id": "1", "messages": [{"role": "user", "content": "Hi."}]}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="found dialogues in which no assistant speaks"):
        Transcript("t", path).replay([Prompt("1", ())])


def test_two_log_probabilities_for_one_response_are_told_with_their_lines(tmp_path: Path) -> None:
    tea = [{"role": "user", "content": "Tea?"}]
    lists = [("a", "Yes.", -1.0), ("b", "No.", -3.0), ("c", "Yes.", -1.00001), ("d", "No.", -4.0)]
    path = tmp_path / "lists.jsonl"
    rows = [
        {"id": item, "system": "s", "context": tea, "responses": [{"text": text, "logprob": logprob}]}
        for item, text, logprob in lists
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    system = Transcript("s", path)
    context = (Turn("user", "Tea?"),)
    assert system.logprob([context], ["Yes."]).tolist() == [-1.0]
    with pytest.raises(BadInput) as error:
        system.logprob([context, context], ["Yes.", "No."])
    assert str(error.value) == (
        f"{path}, line 4: found log-probabilities -3 on line 2 and -4 on line 4 for 'No.' in the same context, "
        "expected one. Drop one of them, or put lists of different models under different names of systems."
    )


class TestWhatTheStudyKnows:
    """A response and its id, or the order of the responses, are enough."""

    PROMPTS = (Prompt("a", (Turn("user", "Hi."),)), Prompt("b", (Turn("user", "Tea?"),)))

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("t.jsonl", '{"id": "b", "response": "Yes."}\n{"id": "a", "response": "Hello."}\n'),
            ("t.csv", "id;response\nb;Yes.\na;Hello.\n"),
            ("t.tsv", "id\tresponse\nb\tYes.\na\tHello.\n"),
        ],
    )
    def test_ids_and_responses(self, tmp_path: Path, name: str, content: str) -> None:
        (tmp_path / name).write_text(content)
        assert self.replayed(tmp_path / name) == ["Hello.", "Yes."]

    def test_parquet(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"id": ["b", "a"], "response": ["Yes.", "Hello."]}), tmp_path / "t.parquet")
        assert self.replayed(tmp_path / "t.parquet") == ["Hello.", "Yes."]

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("t.txt", "Hello.\nYes.\n"),
            ("text:t.out", "Hello.\nYes.\n"),
            ("t.jsonl", '{"response": "Hello."}\n{"response": "Yes."}\n'),
            ("t.csv", "response\nHello.\nYes.\n"),
        ],
    )
    def test_the_order_of_the_data(self, tmp_path: Path, name: str, content: str) -> None:
        (tmp_path / name.removeprefix("text:")).write_text(content)
        assert self.replayed(tmp_path / name) == ["Hello.", "Yes."]

    def test_too_few_lines_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "t.txt").write_text("Hello.\n")
        with pytest.raises(BadInput, match="found 1 responses without ids, expected 2, one for each item"):
            self.replayed(tmp_path / "t.txt")

    def test_turns_of_dialogues(self, tmp_path: Path) -> None:
        said = ["Hi.", "Hello.", "Tea?", "Yes."]
        path = write(tmp_path / "t.jsonl", {"id": "d", "turns": said})
        context = tuple(
            Turn(who, text) for who, text in zip(["user", "assistant", "user"], said, strict=False)
        )
        prompts = [Prompt("d/2", context[:1]), Prompt("d/4", context), Prompt("d", context)]
        assert Transcript("t", path).replay(prompts) == [
            (Response("Hello."),),
            (Response("Yes."),),
            (Response("Yes."),),
        ]

    def replayed(self, path: Path) -> list[str]:
        return [responses[0].text for responses in Transcript("t", path).replay(self.PROMPTS)]
