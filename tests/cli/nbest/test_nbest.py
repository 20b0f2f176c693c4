"""The verbs of ``dialeval nbest``, from files to what is printed and written."""

from __future__ import annotations

import json

import pytest

from dialeval.resources import check
from dialeval.resources.tagger import RESOURCE

PAIRS = [
    {"premise": "yeah i'm in North Carolina", "hypothesis": "I'm in North Carolina.", "label": "entailment"},
    {"premise": "we have two dogs", "hypothesis": "We have a cat.", "label": "contradiction"},
    {"premise": "we have two dogs", "hypothesis": "We have pets.", "label": "entailment"},
    {"premise": "we have two dogs", "hypothesis": "We like pets.", "label": "neutral"},
]


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def pairs(tmp_path):
    if check(RESOURCE, verify=False).state == "absent":
        pytest.skip("the tagger is not installed")
    return lines(tmp_path / "pairs.jsonl", PAIRS)


@pytest.fixture
def lists(tmp_path):
    def listed(item, expected, *said):
        context = [
            {"role": "assistant", "content": "I'm in Texas."},
            {"role": "user", "content": "Are you in Texas?"},
        ]
        responses = [{"text": text, "logprob": -1.5} for text in said]
        return {"id": item, "system": "bot", "context": context, "responses": responses, "expected": expected}

    rows = [
        listed("1", "yes", "Yes, I am.", "No, I'm not."),
        listed("2", "yes", "No.", "No way."),
        listed("3", "yes", "Yes.", "Who knows?"),
        listed("4", "no", "No.", "No, in Ohio."),
    ]
    return lines(tmp_path / "lists.jsonl", rows)


class TestStimuli:
    def test_the_contract(self, dialeval, pairs, tmp_path):
        done = dialeval("nbest", "stimuli", pairs, "-o", tmp_path / "out.jsonl", "--json")
        assert done.code == 0, done.err
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert rows[0] == {
            "id": "entq-1",
            "kind": "ENTQ",
            "context": [
                {"role": "assistant", "content": "Yeah I'm in North Carolina."},
                {"role": "user", "content": "Are you in North Carolina?"},
            ],
            "expected": "yes",
        }
        assert [(row["kind"], row["expected"], row["context"][1]["content"]) for row in rows[1:]] == [
            ("CNTQ", "no", "Don't you have a cat?"),
            ("ENTQ", "yes", "Do you have pets?"),
        ]
        summary = json.loads(done.out)
        assert (summary["pairs"], summary["stimuli"]) == (4, {"ENTQ": 2, "CNTQ": 1})
        assert summary["excluded"] == {"label: neutral": 1}

    def test_training_questions_are_not_tested(self, dialeval, pairs, tmp_path):
        training, out = tmp_path / "train.jsonl", tmp_path / "out.jsonl"
        done = dialeval("nbest", "stimuli", pairs, "-o", out, "--training", training)
        assert done.code == 0, done.err
        assert len(out.read_text().splitlines()) == 1
        questions = [json.loads(line) for line in training.read_text().splitlines()]
        assert [row["candidates"][0]["text"] for row in questions] == [
            "Yes, we have pets.",
            "No, we have pets.",
            "Yes, we have pets.",
            "No, we have pets.",
        ]
        assert "left out, kept for training: 2" in done.out

    def test_some_are_shown_and_nothing_is_said_to_do_nothing(self, dialeval, pairs):
        shown = dialeval("nbest", "stimuli", pairs, "--show", "1")
        assert shown.out.startswith("1. ")
        assert len(shown.out.splitlines()) == 3
        assert dialeval("nbest", "stimuli", pairs).code == 2

    def test_labels_that_are_numbers_are_told(self, dialeval, pairs, tmp_path):
        with pairs.open("a") as handle:
            handle.write('{"premise": "I am in Ohio.", "hypothesis": "I am in Texas.", "label": 2}\n')
        done = dialeval("nbest", "stimuli", pairs, "-o", tmp_path / "o.jsonl")
        assert "read as 0 entailment, 1 neutral, 2 contradiction: 1" in done.out
        assert json.loads((tmp_path / "o.jsonl").read_text().splitlines()[-1])["kind"] == "CNTQ"

    def test_bad_lines_are_refused_or_counted(self, dialeval, pairs, tmp_path):
        with pairs.open("a") as handle:
            handle.write('{"premise": 3, "hypothesis": "x", "label": "neutral"}\n')
        refused = dialeval("nbest", "stimuli", pairs, "-o", tmp_path / "o.jsonl")
        assert refused.code == 1
        assert "line 5" in refused.err
        done = dialeval("nbest", "stimuli", pairs, "-o", tmp_path / "o.jsonl", "--skip-bad", "--json")
        assert json.loads(done.out)["bad_lines"] == 1
        assert "1 bad line" in done.err


class TestMeasure:
    def test_the_contract(self, dialeval, lists):
        done = dialeval("nbest", "measure", lists, "--reader", "first_word", "--json")
        assert done.code == 0, done.err
        first, second = json.loads(done.out)["results"]
        assert (first["system"], first["kind"], first["certainty"], first["variety"]) == (
            "bot",
            "ENTQ",
            0.5,
            0.5,
        )
        assert (first["n"], first["excluded"]) == (2, 1)
        assert first["certainty_interval"][0] < 0.5 < first["certainty_interval"][1]
        assert (second["kind"], second["certainty"], second["variety"], second["n"]) == ("CNTQ", 1.0, 1.0, 1)

    def test_curves_by_list_size(self, dialeval, lists):
        done = dialeval("nbest", "measure", lists, "--reader", "first_word", "--json", "--sizes", "1,2")
        curves = json.loads(done.out)["curves"]
        assert [(row["size"], row["kind"], row["certainty"], row["n"]) for row in curves] == [
            (1, "ENTQ", pytest.approx(2 / 3), 3),
            (1, "CNTQ", 1.0, 1),
            (2, "ENTQ", 0.5, 2),
            (2, "CNTQ", 1.0, 1),
        ]

    def test_a_folder_with_a_page_that_can_be_written_again(self, dialeval, lists, tmp_path):
        from dialeval.nbest.folder import read_measured, render_measured

        out = tmp_path / "out"
        done = dialeval("nbest", "measure", lists, "--reader", "first_word", "-o", out)
        assert done.code == 0, done.err
        assert "left out" in done.out
        page = (out / "nbest.html").read_bytes()
        content = read_measured(out)
        assert [judged.verdicts for judged in content.lists][:2] == [
            ("consistent", "contradictory"),
            ("contradictory", "contradictory"),
        ]
        assert render_measured(out).read_bytes() == page
        assert b"Certainty, ENTQ" in page
        again = dialeval("nbest", "measure", out / "lists.jsonl", "--reader", "first_word", "--json")
        assert json.loads(again.out)["results"] == json.loads((out / "nbest.json").read_text())["results"]

    def test_lists_are_generated_by_a_system_and_kept(self, dialeval, pairs, tmp_path):
        stimuli, written = tmp_path / "stimuli.jsonl", tmp_path / "lists.jsonl"
        dialeval("nbest", "stimuli", pairs, "-o", stimuli)
        (tmp_path / "bot.py").write_text(
            "def reply(context):\n    return 'Yes, I am.' if 'Are' in context[-1]['content'] else 'No.'\n"
        )
        command = (
            "nbest",
            "measure",
            stimuli,
            "--system",
            f"{tmp_path}/bot.py:reply",
            "--reader",
            "first_word",
        )
        done = dialeval(*command, "--lists", written, "--cache", tmp_path / "cache", "--json")
        assert done.code == 0, done.err
        rows = {row["kind"]: row for row in json.loads(done.out)["results"]}
        assert (rows["ENTQ"]["certainty"], rows["CNTQ"]["certainty"]) == (0.5, 1.0)
        assert [json.loads(line)["expected"] for line in written.read_text().splitlines()] == [
            "yes",
            "no",
            "yes",
        ]

    def test_wrong_options_say_what_to_do(self, dialeval, lists, tmp_path):
        assert dialeval("nbest", "measure", lists, "--decoding", "greedy").code == 2
        assert dialeval("nbest", "measure", lists, "--sizes", "0").code == 2
        empty = lines(tmp_path / "none.jsonl", [{"id": "1", "context": []}])
        refused = dialeval("nbest", "measure", empty, "--system", "echo")
        assert refused.code == 1
        assert "at least the message" in refused.err
        wrong = lines(
            tmp_path / "wrong.jsonl",
            [{"id": "1", "context": [{"role": "user", "content": "Hi?"}], "expected": "maybe"}],
        )
        assert "'yes' or 'no'" in dialeval("nbest", "measure", wrong, "--system", "echo").err

    def test_open_lists_are_judged_by_the_shipped_detector(self, dialeval, tmp_path, minilm):
        context = [
            {"role": "assistant", "content": "I have never been to Paris."},
            {"role": "user", "content": "Tell me about Paris."},
        ]
        said = ["I have been to Paris many times.", "I have never been to Paris."]
        row = {"id": "1", "system": "bot", "context": context, "responses": [{"text": text} for text in said]}
        alone = {**row, "id": "2", "context": context[1:]}
        path = lines(tmp_path / "open.jsonl", [row, alone])
        done = dialeval("nbest", "measure", path, "--json", "-o", tmp_path / "out")
        assert done.code == 0, done.err
        (result,) = json.loads(done.out)["results"]
        assert (result["kind"], result["certainty"], result["n"]) == ("open", 1.0, 1)
        assert result["reasons"] == {"the responder has said nothing before": 1}
        first, second = ((tmp_path / "out" / "lists.jsonl").read_text()).splitlines()
        judged = json.loads(first)["responses"]
        assert judged[0]["verdict"] == "contradictory"
        assert judged[1]["verdict"] == "consistent"
        assert json.loads(second)["obstacle"] == "the responder has said nothing before"
        again = dialeval("nbest", "measure", tmp_path / "out" / "lists.jsonl", "--json")
        assert json.loads(again.out)["results"] == [result]

    def test_the_detector_may_stand_in_for_the_reader_of_answers(self, dialeval, lists, minilm):
        done = dialeval("nbest", "measure", lists, "--by", "detector", "--json")
        assert done.code == 0, done.err
        told = json.loads(done.out)
        assert told["reader"].startswith("contradiction(model='shipped')")
        assert [(row["kind"], row["n"], row["excluded"]) for row in told["results"]] == [
            ("ENTQ", 3, 0),
            ("CNTQ", 1, 0),
        ]

    def test_open_stimuli_are_asked_and_judged(self, dialeval, tmp_path, minilm):
        probe = {
            "id": "p",
            "context": [
                {"role": "assistant", "content": "I have never been to Paris."},
                {"role": "user", "content": "Tell me about Paris."},
            ],
        }
        path = lines(tmp_path / "open.jsonl", [probe])
        (tmp_path / "bot.py").write_text("def reply(context):\n    return 'I never went there.'\n")
        done = dialeval(
            "nbest", "measure", path, "--system", f"{tmp_path}/bot.py:reply", "--no-resume", "--json"
        )
        assert done.code == 0, done.err
        assert [row["kind"] for row in json.loads(done.out)["results"]] == ["open"]


class TestAnswers:
    def test_the_rule_of_the_first_word(self, dialeval, tmp_path):
        path = lines(
            tmp_path / "a.jsonl",
            [
                {"id": "x", "question": "Tea?", "answer": "Yes, please."},
                {"id": "y", "question": "Tea?", "answer": "I love it."},
            ],
        )
        done = dialeval("nbest", "answers", path, "--reader", "first_word", "--json")
        assert json.loads(done.out)["answers"] == [
            {"id": "x", "label": "yes", "probability": 1.0},
            {"id": "y", "label": "ambiguous", "probability": 1.0},
        ]

    def test_a_line_without_an_answer_is_refused(self, dialeval, tmp_path):
        path = lines(tmp_path / "a.jsonl", [{"id": "x", "question": "Tea?"}])
        done = dialeval("nbest", "answers", path, "--reader", "first_word")
        assert done.code == 1
        assert "answer" in done.err


class TestShares:
    def test_counts_and_judgements_by_hand(self, dialeval, tmp_path):
        counts = [{"id": str(n), "system": "s", "contradictory": n % 2, "n": 2} for n in range(10)]
        scores = [
            {"item": str(n), "system": "s", "rater": "chosen", "criterion": "chosen", "value": 1 - n % 2}
            for n in range(10)
        ]
        done = dialeval(
            *("nbest", "shares", lines(tmp_path / "c.jsonl", counts)),
            *("--scores", lines(tmp_path / "s.jsonl", scores), "--rule", "chosen", "--json"),
        )
        assert done.code == 0, done.err
        found = json.loads(done.out)
        assert (found["overall"]["share_right"], found["overall"]["share_wrong"]) == (0.0, 0.5)
        assert found["difference"] == 0.5
        assert found["p"] < 0.05

    def test_lists_are_judged_first(self, dialeval, lists, tmp_path):
        scores = [
            {"item": str(n), "system": "bot", "rater": "m", "criterion": "m", "value": n / 10}
            for n in range(1, 5)
        ]
        path = lines(tmp_path / "s.jsonl", scores)
        done = dialeval(
            "nbest", "shares", lists, "--scores", path, "--rule", "m>=0.2", "--reader", "first_word"
        )
        assert done.code == 0, done.err
        assert "all systems: 50 % contradictory in 2 lists where m >= 0.2, 50 % in 1 others" in done.out

    def test_a_group_without_lists_has_no_share(self, dialeval, lists, tmp_path):
        rows = [
            {"item": str(n), "system": "bot", "rater": "m", "criterion": "m", "value": 1} for n in range(1, 5)
        ]
        path = lines(tmp_path / "s.jsonl", rows)
        done = dialeval("nbest", "shares", lists, "--scores", path, "--rule", "m", "--reader", "first_word")
        assert done.code == 0, done.err
        assert "Not compared" in done.out
