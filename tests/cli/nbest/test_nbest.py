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


def parts(told, measure="nbest"):
    """Breakdowns of one measure: system and part, value, number of lists, number of unscored ones."""
    return {
        (each["system"], *each["part"].values()): (
            each["estimate"]["value"],
            each["estimate"]["n"],
            sum(each["unscored"].values()),
        )
        for each in told["breakdowns"]
        if each["measure"].partition("(")[0] == measure
    }


class TestMeasure:
    def test_the_contract(self, dialeval, lists):
        done = dialeval("nbest", "measure", lists, "--reader", "first_word", "--json")
        assert done.code == 0, done.err
        told = json.loads(done.out)
        certainty, variety = told["results"]
        assert certainty["measure"] == "nbest(n=2,reader='first_word')"
        assert (certainty["system"], certainty["estimate"]["value"]) == ("bot", pytest.approx(2 / 3))
        assert (certainty["estimate"]["n"], certainty["unscored"]) == (3, 1)
        assert variety["estimate"]["value"] == 0.75
        found = parts(told)
        assert found["bot", "ENTQ"] == (0.5, 2, 1)
        assert found["bot", "CNTQ"] == (1.0, 1, 0)
        assert parts(told, "nbest_variety")["bot", "ENTQ"] == (0.5, 1, 2)
        (entq,) = [each for each in told["breakdowns"] if list(each["part"].values()) == ["ENTQ"]][:1]
        assert entq["estimate"]["low"] < 0.5 < entq["estimate"]["high"]

    def test_curves_by_list_size(self, dialeval, lists):
        done = dialeval("nbest", "measure", lists, "--reader", "first_word", "--json", "--sizes", "1,2")
        curves = {key[1:]: value[:2] for key, value in parts(json.loads(done.out)).items() if len(key) == 3}
        assert curves == {
            ("ENTQ", 1): (pytest.approx(2 / 3), 3),
            ("CNTQ", 1): (1.0, 1),
            ("ENTQ", 2): (0.5, 2),
            ("CNTQ", 2): (1.0, 1),
        }

    def test_it_prints_and_writes_what_run_does(self, dialeval, lists, tmp_path):
        out = tmp_path / "out"
        done = dialeval("nbest", "measure", lists, "--reader", "first_word", "-o", out)
        assert done.code == 0, done.err
        assert "by stimuli" in done.out
        page = (out / "report.html").read_bytes()
        assert b"nbest(n=2,reader=&#39;first_word&#39;), ENTQ" in page
        judged = [json.loads(line) for line in (out / "nbest.jsonl").read_text().splitlines()]
        assert [[each["verdict"] for each in row["responses"]] for row in judged[:2]] == [
            ["consistent", "contradictory"],
            ["contradictory", "contradictory"],
        ]
        assert dialeval("report", out).code == 0
        assert (out / "report.html").read_bytes() == page
        again = dialeval("run", out / "study.yaml", "-o", tmp_path / "again", "--json")
        numbers = ("results", "comparisons", "ranks", "breakdowns")
        first = json.loads((out / "summary.json").read_text())
        assert {key: json.loads(again.out)[key] for key in numbers} == {key: first[key] for key in numbers}

    def test_what_it_writes_can_be_measured_again(self, dialeval, lists, tmp_path):
        command = ("nbest", "measure", "--reader", "first_word", "--json")
        first = dialeval(*command, lists, "-o", tmp_path / "out")
        again = dialeval(*command, tmp_path / "out" / "nbest.jsonl")
        assert json.loads(again.out)["results"] == json.loads(first.out)["results"]

    def test_gates_shards_and_standard_input_are_those_of_every_evaluation(self, dialeval, lists, tmp_path):
        command = ("nbest", "measure", lists, "--reader", "first_word")
        label = "nbest(n=2,reader='first_word')"
        assert dialeval(*command, "--fail-under", f"point({label})=0.6").code == 0
        assert dialeval(*command, "--fail-under", f"point({label})=0.7").code == 100
        for number in (1, 2):
            part = dialeval(*command, "--shard", f"{number}/2", "-o", tmp_path / f"p{number}")
            assert part.code == 0, part.err
        merged = dialeval("merge", tmp_path / "p1", tmp_path / "p2", "-o", tmp_path / "whole", "--json")
        assert merged.code == 0, merged.err
        whole = json.loads(dialeval(*command, "--json").out)
        assert json.loads(merged.out)["results"] == whole["results"]
        assert json.loads(merged.out)["breakdowns"] == whole["breakdowns"]

    def test_lists_are_generated_by_a_system_and_kept(self, dialeval, pairs, tmp_path):
        stimuli, out = tmp_path / "stimuli.jsonl", tmp_path / "out"
        dialeval("nbest", "stimuli", pairs, "-o", stimuli)
        (tmp_path / "bot.py").write_text(
            "def reply(context):\n    return 'Yes, I am.' if 'Are' in context[-1]['content'] else 'No.'\n"
        )
        bot = f"{tmp_path}/bot.py:reply"
        done = dialeval(
            *("nbest", "measure", stimuli, "--system", bot, "--reader", "first_word"),
            *("-o", out, "--cache", tmp_path / "cache", "--json"),
        )
        assert done.code == 0, done.err
        found = parts(json.loads(done.out))
        assert (found["reply", "ENTQ"][0], found["reply", "CNTQ"][0]) == (0.5, 1.0)
        written = (out / "nbest.jsonl").read_text().splitlines()
        assert [json.loads(line)["expected"] for line in written] == ["yes", "no", "yes"]
        assert not (out / "examples.jsonl").read_text(), "no answer beside the lists was asked for"

    def test_wrong_options_say_what_to_do(self, dialeval, lists, tmp_path):
        assert dialeval("nbest", "measure", lists, "--decoding", "greedy").code == 2
        wrong_sizes = dialeval("nbest", "measure", lists, "--sizes", "0")
        assert wrong_sizes.code != 0
        assert "expected whole numbers as in '1,2,5,10'" in wrong_sizes.err
        empty = lines(tmp_path / "none.jsonl", [{"id": "1", "context": []}])
        refused = dialeval("nbest", "measure", empty, "--system", "echo")
        assert refused.code == 1
        assert "at least the message" in refused.err
        wrong = lines(
            tmp_path / "wrong.jsonl",
            [{"id": "1", "context": [{"role": "user", "content": "Hi?"}], "expected": "maybe"}],
        )
        assert "'yes' or 'no'" in dialeval("nbest", "measure", wrong, "--system", "echo").err

    def test_lists_without_a_response_are_an_error(self, dialeval, tmp_path):
        context = [{"role": "user", "content": "Are you in Texas?"}]
        rows = [{"id": "1", "system": "bot", "context": context, "responses": [], "expected": "yes"}]
        done = dialeval("nbest", "measure", lines(tmp_path / "empty.jsonl", rows), "--reader", "first_word")
        assert done.code == 1
        assert "bot has no response to any of the 1 stimuli" in done.err

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
        told = json.loads(done.out)
        assert parts(told)["bot", "open"] == (1.0, 1, 1)
        (part,) = [each for each in told["breakdowns"] if each["part"] == {"stimuli": "open"}][:1]
        assert part["unscored"] == {"the responder has said nothing before": 1}
        first, second = ((tmp_path / "out" / "nbest.jsonl").read_text()).splitlines()
        judged = json.loads(first)["responses"]
        assert judged[0]["verdict"] == "contradictory"
        assert judged[1]["verdict"] == "consistent"
        assert json.loads(second)["obstacle"] == "the responder has said nothing before"
        again = dialeval("nbest", "measure", tmp_path / "out" / "nbest.jsonl", "--json")
        assert json.loads(again.out)["results"] == told["results"]

    def test_the_detector_may_stand_in_for_the_reader_of_answers(self, dialeval, lists, minilm):
        done = dialeval("nbest", "measure", lists, "--by", "detector", "--json")
        assert done.code == 0, done.err
        told = json.loads(done.out)
        assert told["nbest"][0]["reader"].startswith("contradiction(model='shipped')")
        found = parts(told)
        assert (found["bot", "ENTQ"][1:], found["bot", "CNTQ"][1:]) == ((3, 0), (1, 0))

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
        assert ("reply", "open") in parts(json.loads(done.out))


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


class TestSharesOfOtherJudges:
    """Section 3.6 with open lists, with what was measured before, and with people."""

    @pytest.fixture
    def open_lists(self, tmp_path):
        context = [
            {"role": "assistant", "content": "I have a dog."},
            {"role": "user", "content": "Tell me more."},
        ]
        rows = [
            {
                "id": str(n),
                "system": "bot",
                "context": context,
                "responses": [{"text": f"one 0.{n}"}, {"text": "two 0.9" if n % 2 else "two 0.1"}],
            }
            for n in range(10)
        ]
        (tmp_path / "numbers.py").write_text(
            "import numpy as np\nfrom dialeval.core import Signature\n\n\n"
            "class Numbers:\n    signature = Signature('numbers')\n\n"
            "    def contradiction(self, contexts, responses):\n"
            "        return np.array([float(response.split()[-1]) for response in responses])\n"
        )
        scores = [
            {"item": str(n), "system": "bot", "rater": "chosen", "criterion": "chosen", "value": 1 - n % 2}
            for n in range(10)
        ]
        return lines(tmp_path / "open.jsonl", rows), lines(tmp_path / "scores.jsonl", scores)

    def shares(self, dialeval, *arguments):
        done = dialeval("nbest", "shares", *arguments, "--rule", "chosen", "--json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    def test_open_lists_are_judged_by_the_detector_and_a_measured_folder_gives_the_same(
        self, dialeval, open_lists, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)
        lists, scores = open_lists
        judge = ("--detector", "numbers.py:Numbers")
        found = self.shares(dialeval, lists, "--scores", scores, *judge)
        # By hand, from .5 on: right (even) 0 of 2 for 0, 2, 4 and 1 of 2 for 6, 8; wrong 1 of 2 for 1, 3 and 2 of 2.
        assert (found["overall"]["share_right"], found["overall"]["share_wrong"]) == (0.2, 0.8)
        assert found["judged_by"] == ["numbers|version=1"]
        done = dialeval("nbest", "measure", lists, *judge, "-o", "measured")
        assert done.code == 0, done.err
        assert self.shares(dialeval, "measured", "--scores", scores)["overall"] == found["overall"]
        again = self.shares(dialeval, "measured/nbest.jsonl", "--scores", scores, "--by", "detector", *judge)
        assert again["overall"] == found["overall"]

    def test_drawn_lists_go_to_raters_and_come_back(self, dialeval, open_lists, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        lists, scores = open_lists
        given = (
            "nbest",
            "shares",
            lists,
            "--scores",
            scores,
            "--rule",
            "chosen",
            "--draw",
            "3",
            "--seed",
            "1",
        )
        done = dialeval(*given, "-o", "drawn.jsonl", "--json")
        assert json.loads(done.out)["drawn"] == [{"system": "bot", "right": 3, "wrong": 3}]
        before = (tmp_path / "drawn.jsonl").read_text()
        assert "verdict" not in before  # raters are blind
        dialeval(*given, "-o", "drawn.jsonl")
        assert (tmp_path / "drawn.jsonl").read_text() == before
        assert dialeval(
            *("annotate", "init", "drawn.jsonl", "-o", "study"),
            *("--kind", "yes_no", "--criterion", "contradictory", "--overlap", "3"),
        ).code == 0  # fmt: skip
        assert dialeval("annotate", "simulate", "study", "--copy", "rated").code == 0
        assert dialeval("annotate", "export", "rated", "-o", "export.jsonl").code == 0
        rated = [json.loads(line) for line in (tmp_path / "export.jsonl").read_text().splitlines()]
        found = self.shares(dialeval, "drawn.jsonl", "--scores", scores, "--judgements", "export.jsonl")
        assert found["judged_by"] == ["people(criterion='contradictory')|version=1"]
        assert (found["overall"]["right"], found["overall"]["wrong"]) == (3, 3)
        by_response = {}
        for row in rated:
            by_response.setdefault(row["item"], []).append(row["value"])
        wrong = [sum(v) > len(v) / 2 for item, v in by_response.items() if int(item[0]) % 2]
        assert found["overall"]["share_wrong"] == pytest.approx(sum(wrong) / len(wrong))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--draw", "5"), "--draw and -o go together"),
            (("--criterion", "x"), "it is a criterion of --judgements"),
            (("--judgements", "x.jsonl", "--by", "detector"), "raters judge"),
        ],
    )
    def test_options_that_do_not_go_together_are_refused(self, dialeval, open_lists, options, message):
        lists, scores = open_lists
        done = dialeval("nbest", "shares", lists, "--scores", scores, "--rule", "chosen", *options)
        assert done.code == 2
        assert message in done.err


@pytest.fixture(scope="module")
def generator(tmp_path_factory):
    pytest.importorskip("torch")
    from dialeval.systems.trained.trainer import train
    from support.small_generators import config, made_split

    folder = tmp_path_factory.mktemp("generator")
    train(made_split(), config("gru"), folder)
    return folder


class TestSweep:
    def test_curves_by_beam_size_are_printed_written_and_drawn(
        self, dialeval, lists, generator, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "lengths.py").write_text(
            "import numpy as np\nfrom dialeval.core import Signature\n\n\n"
            "class Lengths:\n    signature = Signature('lengths')\n\n"
            "    def contradiction(self, contexts, responses):\n"
            "        return np.array([float(len(response) % 2) for response in responses])\n"
        )
        done = dialeval(
            *("nbest", "sweep", lists, "--system", generator, "--beams", "1,3,2"),
            *("--by", "detector", "--detector", "lengths.py:Lengths", "-o", tmp_path / "swept"),
        )
        assert done.code == 0, done.err
        assert "by stimuli and beams" in done.out
        summary = json.loads((tmp_path / "swept/summary.json").read_text())
        assert summary["measures"][0]["measure"] == (
            "nbest(n=3,beams='1,2,3',profile='thesis',by='detector',detector='lengths.py:Lengths')"
        )
        sizes = {each["part"]["beams"] for each in summary["breakdowns"] if "beams" in each["part"]}
        assert sizes == {1, 2, 3}
        assert not any("first" in each["part"] for each in summary["breakdowns"])
        rows = [json.loads(line) for line in (tmp_path / "swept/sweep.jsonl").read_text().splitlines()]
        assert {(row["beams"], len(row["responses"])) for row in rows} == {(1, 1), (2, 2), (3, 3)}
        page = (tmp_path / "swept/report.html").read_text()
        assert "by beams" in page
        assert dialeval("report", tmp_path / "swept", "--json").code == 0

    def test_recorded_lists_have_prefixes_only(self, dialeval, lists):
        done = dialeval("nbest", "sweep", lists, "--system", f"transcript(path='{lists}')")
        assert done.code == 1
        assert "--sizes" in done.err

    @pytest.mark.parametrize("written", ["two", "²"])
    def test_sizes_are_whole_numbers(self, dialeval, lists, written):
        done = dialeval("nbest", "sweep", lists, "--system", "echo", "--beams", written)
        assert done.code == 1
        assert f"beam sizes {written!r}" in done.err
