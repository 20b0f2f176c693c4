"""``dialeval consistency`` as a user meets it, with the shipped detector."""

from __future__ import annotations

import csv
import io
import json

import pytest

from dialeval.consistency.probing.entities import NO_STATEMENT

pytestmark = pytest.mark.usefixtures("minilm")


def talk(item, *texts, system="bot"):
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    return {"id": item, "system": system, "messages": messages}


@pytest.fixture
def dialogues(tmp_path):
    rows = [
        talk("clash", "Do you smoke?", "I have never smoked.", "Really?", "I smoke ten cigarettes a day."),
        talk("fine", "Hello!", "Hello, how are you?", "Fine.", "Good to hear."),
        talk("short", "Hello!", "Hi."),
        talk("clash", "Hi.", "I like tea. I do not like tea.", system="other"),
    ]
    path = tmp_path / "dialogues.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_detect_prints_what_its_contract_says(dialeval, dialogues):
    done = dialeval("consistency", "detect", dialogues, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert 0 < told["threshold"] < 1
    assert [each["id"] for each in told["dialogues"]] == ["clash", "fine", "short", "clash"]
    for each in told["dialogues"]:
        assert each.keys() >= {"id", "system", "probability", "pair", "verdict"}
        assert each["verdict"] in ("contradiction", "ambiguous", "none")
    by_id = {(each["id"], each["system"]): each for each in told["dialogues"]}
    assert by_id["clash", "bot"]["pair"] == [2, 4]
    assert by_id["clash", "bot"]["probability"] > by_id["fine", "bot"]["probability"]
    assert by_id["clash", "other"]["pair"] == [2, 2]
    assert (by_id["short", "bot"]["probability"], by_id["short", "bot"]["pair"]) == (None, None)
    assert told["excluded"] == {"no two sentences by the system": 1}
    assert (told["speakers"], told["all_speakers"]) == ("system", 0)


def test_the_last_turn_alone_is_asked_about(dialeval, tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(talk("d", "I have a dog.", "I never smoked.", "I have no dog.", "Oh.")) + "\n")
    told = json.loads(dialeval("consistency", "detect", path, "--turn", "last", "--json").out)
    assert told["dialogues"][0]["pair"] == [2, 4]


def test_a_system_is_not_charged_with_what_its_user_says(dialeval, tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(talk("d", "I have a dog.", "Oh, nice.", "I have no dog.", "I see.")) + "\n")
    own = json.loads(dialeval("consistency", "detect", path, "--json").out)
    assert (own["dialogues"][0]["pair"], own["systems"][0]["contradictions"]) == ([2, 4], 0)
    told = json.loads(dialeval("consistency", "detect", path, "--speakers", "all", "--json").out)
    assert (told["dialogues"][0]["pair"], told["systems"][0]["contradictions"]) == ([1, 3], 1)


def test_what_contradicts_the_persona_is_quoted_with_its_line(dialeval, tmp_path):
    said = ("Do you smoke?", "I smoke ten cigarettes a day.", "Really?", "Yes.")
    rows = [
        talk("told", *said) | {"metadata": {"persona": ["I like tea.", "I have never smoked."]}},
        talk("not", *said),
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = dialeval("consistency", "detect", path, "-o", "found", "--json")
    assert done.code == 0, done.err
    told, other = json.loads(done.out)["dialogues"]
    assert (told["pair"], told["verdict"]) == ([0, 2], "contradiction")
    assert told["quotes"][0] == {"turn": 0, "role": "persona", "text": "I have never smoked."}
    assert other["verdict"] == "none"
    page = (tmp_path / "found" / "report.html").read_text()
    assert '<th scope="col">persona</th>' in page
    scored = json.loads(dialeval("score", path, "-m", "contradiction_rate", "--json").out)["results"]
    assert [row["score"] for row in scored] == [0.5]


def test_contradictions_in_answers_to_questions_are_counted(dialeval, tmp_path):
    said = ("Do you smoke?", "I have never smoked.", "Really? I see.", "I smoke ten cigarettes a day.")
    rows = [
        talk("asked", *said),
        talk("told", *said[:2], "I see.", said[3]),
        talk("within", "Do you like tea?", "I like tea. I do not like tea.", system="other"),
        talk("fine", "Hello!", "Hello, how are you?", "Fine.", "Good to hear.", system="third"),
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = json.loads(dialeval("consistency", "detect", path, "--json").out)
    counts = {each["system"]: (each["after_question"], each["contradictions"]) for each in told["systems"]}
    assert counts == {"bot": (1, 2), "other": (0, 1), "third": (0, 0)}
    shown = " ".join(dialeval("consistency", "detect", path).out.split())
    assert "contradictions in an answer to a question: bot 1 of 2; other 0 of 1" in shown


def test_an_interrupted_detection_resumes_from_what_was_kept(dialeval, dialogues, tmp_path):
    told = [
        json.loads(dialeval("consistency", "detect", dialogues, "--cache", "kept", "--json", *more).out)
        for more in ([], [], ["--no-resume", "--jobs", "2"])
    ]
    assert told[0] == told[1] == told[2]
    assert any((tmp_path / "kept").rglob("*"))


def test_detect_writes_a_run_whose_page_quotes_both_turns(dialeval, dialogues, tmp_path):
    done = dialeval("consistency", "detect", dialogues, "-o", "found")
    assert done.code == 0, done.err
    assert "Where it contradicts itself" in done.out
    page = (tmp_path / "found" / "report.html").read_text()
    lines = [json.loads(line) for line in (tmp_path / "found" / "detected.jsonl").read_text().splitlines()]
    assert [(line["id"], line["system"]) for line in lines] == [
        ("clash", "bot"),
        ("fine", "bot"),
        ("short", "bot"),
        ("clash", "other"),
    ]
    assert lines[0]["messages"][3]["content"] == "I smoke ten cigarettes a day."
    flagged = [line for line in lines if line["verdict"] != "none"]
    assert flagged, "the shipped detector sees none of the contradictions"
    for each in flagged:
        for quote in each["quotes"]:
            assert f'<td dir="auto">{quote["text"]}</td>' in page
    assert dialeval("consistency", "detect", dialogues, "-o", tmp_path).code == 1
    (tmp_path / "found" / "report.html").unlink()
    assert dialeval("report", "found").out.strip() == "found/report.html"
    assert (tmp_path / "found" / "report.html").read_text() == page


STUDY = """
name: consistency
data: dialogues.jsonl
missing: own
systems:
  - {name: bot, system: bot, kind: dialogues, path: dialogues.jsonl}
  - {name: other, system: other, kind: dialogues, path: dialogues.jsonl}
measures: [contradictions]
"""


def test_the_numbers_of_detect_are_those_of_run_and_of_score(dialeval, dialogues, tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY)
    done = dialeval("run", "study.yaml", "-o", "run", "--json")
    assert done.code == 0, done.err
    whole = json.loads(done.out)
    told = json.loads(dialeval("consistency", "detect", dialogues, "-o", "found", "--json").out)
    own = ("systems", "folder", "report")
    assert {key: told[key] for key in whole if key not in own} == {
        key: whole[key] for key in whole if key not in own
    }
    (section,) = whole["consistency"]
    for key in ("threshold", "band", "detector", "turn", "speakers", "reach", "passages", "excluded"):
        assert told[key] == section[key]
    both = zip(told["systems"], section["systems"], strict=True)
    rates = [{key: system[key] for key in rate} for system, rate in both]
    assert rates == section["systems"]
    assert [row["estimate"] for row in told["results"]] == [rate["rate"] for rate in rates]
    written = [(tmp_path / folder / "detected.jsonl").read_bytes() for folder in ("run", "found")]
    assert written[0] == written[1]
    rows = json.loads(dialeval("score", dialogues, "-m", "contradiction_rate", "--json").out)["results"]
    scored = {row["system"]: [row[key] for key in ("score", "low", "high", "n")] for row in rows}
    assert scored == {rate["system"]: list(rate["rate"].values())[:4] for rate in rates}


def test_systems_with_dialogues_of_the_same_ids_are_compared_and_gated(dialeval, tmp_path):
    said = ["I have never smoked.", "I smoke ten cigarettes a day.", "I like tea."]
    rows = [
        talk(str(n), "Do you smoke?", said[0], "Really?", said[1 if system == "bad" else 2], system=system)
        for system in ("good", "bad")
        for n in range(6)
    ]
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    gate = ("--fail-under", "point(contradictions)=0.5")
    done = dialeval("consistency", "detect", "both.jsonl", "--json", *gate)
    assert done.code == 100
    told = json.loads(done.out)
    assert [row["estimate"]["value"] for row in told["results"]] == [0, 1]
    (pair,) = told["comparisons"]
    assert (pair["significant"], pair["better"]) == (True, "good")
    assert told["ranks"]


@pytest.mark.parametrize("silent", [("Do you smoke?", "", "Really?", " "), ("Do you smoke?",), ()])
@pytest.mark.parametrize("prefix", ["", "mute-"])
def test_a_blank_dialogue_is_unanswered_and_does_not_win_a_gate(dialeval, tmp_path, silent, prefix):
    """Also if the systems have no dialogue with the same id, and cannot be compared."""
    said = ("Do you smoke?", "I have never smoked.", "Really?", "I like tea.")
    rows = [talk(str(n), *said, system="good") for n in range(6)]
    rows += [talk(f"{prefix}{n}", *(silent if n % 2 else said), system="mute") for n in range(6)]
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    gate = ("--fail-under", "point(contradictions)=0.9")
    done = dialeval("consistency", "detect", "both.jsonl", *gate)
    assert done.code == 100
    assert "mute left 3 of 6 items unanswered" in " ".join(done.out.split())
    told = json.loads(dialeval("consistency", "detect", "both.jsonl", "--json").out)
    mute = told["results"][1]
    assert (mute["estimate"]["value"], mute["unanswered"], mute["filled"]) == (0.5, 3, 3)
    (scored,) = (
        row
        for row in json.loads(dialeval("score", "both.jsonl", "-m", "contradiction_rate", "--json").out)[
            "results"
        ]
        if row["system"] == "mute"
    )
    assert (scored["score"], scored["unanswered"]) == (0.5, 3)
    assert dialeval("consistency", "detect", "both.jsonl", *gate, "--allow-unanswered", "0.5").code == 0


def test_people_who_talk_leave_nothing_unanswered(dialeval, tmp_path):
    rows = [
        {"id": str(n), "messages": [{"role": r, "content": ""} for r in "AB"]}
        if n
        else talk("x", "Do you smoke?", "I have never smoked.", "Really?", "I like tea.")
        for n in range(2)
    ]
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = json.loads(dialeval("consistency", "detect", "people.jsonl", "--json").out)
    assert [row["unanswered"] for row in told["results"]] == [0] * len(told["results"])


def test_a_limit_takes_the_same_dialogues_of_every_file(dialeval, tmp_path):
    said = ("Do you smoke?", "I have never smoked.", "Really?", "I like tea.")
    for name, numbers in (("one", range(6)), ("two", range(5, -1, -1))):
        rows = [talk(str(n), *said, system=name) for n in numbers]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "study.yaml").write_text(
        "data: one.jsonl\nmeasures: [contradictions]\nsystems:\n"
        "  - {name: one, kind: dialogues, path: one.jsonl}\n  - {name: two, kind: dialogues, path: two.jsonl}\n"
    )
    assert dialeval("run", "study.yaml", "-o", "run", "--limit", "3").code == 0
    rows = [json.loads(line) for line in (tmp_path / "run" / "detected.jsonl").read_text().splitlines()]
    assert {name: sorted(row["id"] for row in rows if row["system"] == name) for name in ("one", "two")} == {
        "one": ["0", "1", "2"],
        "two": ["0", "1", "2"],
    }


def test_identical_dialogues_of_two_runs_are_equivalent(dialeval, dialogues):
    for folder in ("first", "second"):
        assert dialeval("consistency", "detect", dialogues, "-o", folder).code == 0
    told = json.loads(dialeval("compare", "first", "second", "--json").out)
    assert {pair["verdict"] for pair in told["comparisons"]} == {"equivalent"}


def test_shards_of_a_detection_are_merged_to_the_whole(dialeval, tmp_path, monkeypatch):
    monkeypatch.setattr("dialeval.consistency.detecting.detecting.AT_ONCE", 2)
    monkeypatch.setattr("dialeval.consistency.measure.AT_ONCE", 2)
    said = ["I have never smoked.", "I smoke ten cigarettes a day.", "I like tea. I have a dog."]
    rows = [talk(str(n), "Do you smoke?", said[0], "Really?", f"{n} times. {said[n % 3]}") for n in range(8)]
    (tmp_path / "talks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    verb = ("consistency", "detect", "talks.jsonl")
    whole = dialeval(*verb, "-o", "whole", "--cache", "one")
    assert whole.code == 0, whole.err
    for part in (1, 2):
        done = dialeval(*verb, "--shard", f"{part}/2", "-o", f"parts/{part}", "--cache", f"own{part}")
        assert done.code == 0, done.err
    kept = {
        file.name for part in (1, 2) for file in (tmp_path / f"parts/{part}").rglob("*") if file.is_file()
    }
    assert {file.name for file in (tmp_path / "one").rglob("*") if file.is_file()} & kept
    merged = dialeval("merge", "parts/1", "parts/2", "-o", "merged", "--cache", "another")
    assert merged.code == 0, merged.err
    for name in ("detected.jsonl", "summary.json"):
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_system_without_recorded_dialogues_is_refused(dialeval, dialogues, tmp_path):
    prompt = {"id": "1", "context": [{"role": "user", "content": "Hi"}]}
    (tmp_path / "prompts.jsonl").write_text(json.dumps(prompt) + "\n")
    for system, words in (
        ("{name: parrot, kind: echo}", "parrot has no recorded dialogues"),
        ("{name: x, kind: dialogues, path: dialogues.jsonl}", "dialogues of bot, other. Say whose"),
        ("{name: x, system: y, kind: dialogues, path: dialogues.jsonl}", "no dialogue of 'y'"),
    ):
        text = f"data: prompts.jsonl\nsystems: [{system}]\nmeasures: [contradictions]\n"
        (tmp_path / "study.yaml").write_text(text)
        done = dialeval("run", "study.yaml", "-o", "run")
        assert (done.code, words in " ".join(done.out.split())) == (1, True), (done.out, done.err)


def test_one_is_told_where_the_detector_cannot_read(dialeval, tmp_path):
    said = ["お茶が好きです。", "本当に？", "お茶は嫌いです。"]
    talk = [{"role": role, "content": text} for role, text in zip("ABA", said, strict=True)]
    (tmp_path / "talk.jsonl").write_text(json.dumps({"id": "1", "system": "a", "messages": talk}))
    done = dialeval("consistency", "detect", tmp_path / "talk.jsonl", "--json")
    assert done.code == 0
    assert "1 dialogue mostly in another script than Latin" in " ".join(done.err.split())


def test_a_detector_that_is_none_is_refused(dialeval, dialogues):
    done = dialeval("consistency", "detect", dialogues, "--model", "nowhere")
    assert done.code == 1
    assert "no adapter at nowhere" in done.err


def test_probes_by_rules_are_collected_labelled_and_analysed(dialeval, dialogues, tmp_path):
    done = dialeval("consistency", "probe", dialogues, "-o", "probes.jsonl", "--kind", "entity", "--json")
    told = json.loads(done.out)
    assert told["probes"] > 0
    assert told["excluded"] == {NO_STATEMENT: 2}
    done = dialeval(
        "consistency", "collect", "probes.jsonl", "--system", "echo", "-o", "answers.jsonl", "--json"
    )
    assert json.loads(done.out)["answers"] == told["probes"]
    tasks = json.loads(dialeval("consistency", "tasks", "answers.jsonl", "-o", "tasks", "--json").out)
    assert tasks["tasks"] == told["probes"]
    written = (tmp_path / "tasks" / "for_raters" / "tasks.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    with (tmp_path / "filled.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        for place, row in enumerate(rows):
            votes = ("111", "110", "100", "000")[place % 4]
            writer.writerows({**row, "rater": r, "score": v} for r, v in zip("abc", votes, strict=True))
    done = dialeval(
        "consistency",
        "label",
        "answers.jsonl",
        "--scores",
        "filled.csv",
        "--key",
        "tasks/key.jsonl",
        "-o",
        "l.jsonl",
        "--json",
    )
    labels = json.loads(done.out)
    assert sum(labels["labels"].values()) == told["probes"]
    assert labels["labels"]["contradiction"] >= 1
    assert labels["kappa"] is not None
    done = dialeval("consistency", "analyse", "l.jsonl", "-o", "analysis", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["answers"] == told["probes"]
    page = tmp_path / "analysis" / "analysis.html"
    written = page.read_text()
    assert "What provokes contradictions?" in written
    page.unlink()
    assert dialeval("report", "analysis").out.strip() == "analysis/analysis.html"
    assert page.read_text() == written


def test_the_detector_labels_where_people_are_missing(dialeval, dialogues, tmp_path):
    dialeval("consistency", "probe", dialogues, "-o", "p.jsonl", "--kind", "entity")
    dialeval("consistency", "collect", "p.jsonl", "--system", "echo", "-o", "a.jsonl")
    done = dialeval("consistency", "label", "a.jsonl", "--by-detector", "-o", "l.jsonl")
    assert done.code == 0, done.err
    assert "not by people" in done.err
    rows = [json.loads(line) for line in (tmp_path / "l.jsonl").read_text().splitlines()]
    assert {(row["by"], row["votes"], row["raters"]) for row in rows} == {("detector", 0, 0)}
    told = json.loads(dialeval("consistency", "analyse", "l.jsonl", "--json").out)
    assert (told["by_detector"], told["misses"]) == (len(rows), None)
    both = dialeval("consistency", "label", "a.jsonl", "--by-detector", "--scores", "x.csv", "-o", "l.jsonl")
    assert both.code == dialeval("consistency", "label", "a.jsonl", "-o", "l.jsonl").code == 2


def test_long_dialogues_are_bounded_and_the_rest_is_told(dialeval, tmp_path):
    turns = ["Oh.", "I have a dog.", *["Well.", "I see."] * 3, "Oh.", "I have no dog."]
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps(talk("d", *turns)) + "\n")
    near = dialeval("consistency", "detect", path, "--reach", "4", "--json")
    told = json.loads(near.out)
    assert (told["reach"], told["not_compared"]) == (4, told["dialogues"][0]["not_compared"])
    assert told["not_compared"] == 3  # of the system two pairs six turns apart, and one eight turns apart
    assert "--reach 0 compares them" in near.err
    whole = json.loads(dialeval("consistency", "detect", path, "--reach", "0", "--json").out)
    assert (whole["reach"], whole["not_compared"], whole["dialogues"][0]["pair"]) == (None, 0, [2, 10])


def test_evaluating_a_detector_on_labelled_pairs(dialeval, tmp_path):
    rows = [
        {"premise": f"I have {n} cats.", "hypothesis": said, "label": label}
        for n in (2, 3, 4, 5)
        for said, label in (("I have no cats.", "contradiction"), ("I like tea.", "neutral"))
    ]
    (tmp_path / "nli.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = json.loads(dialeval("consistency", "evaluate", "nli.jsonl", "--json").out)
    (result,) = told["results"]
    assert (result["set"], result["accuracy"]["n"], result["contradictions"]) == ("nli", 8, 4)
    assert result["auc"]["value"] > 0.5
    assert result["accuracy"]["low"] <= result["accuracy"]["value"] <= result["accuracy"]["high"]


def test_a_study_probes_its_systems_and_shows_where_they_clash(dialeval, dialogues, tmp_path):
    dialeval("consistency", "probe", dialogues, "-o", "probes.jsonl", "--kind", "entity")
    prompt = {"id": "1", "context": [{"role": "user", "content": "Hi"}]}
    (tmp_path / "prompts.jsonl").write_text(json.dumps(prompt) + "\n")
    (tmp_path / "study.yaml").write_text(
        "data: prompts.jsonl\nsystems: [{name: parrot, kind: echo}]\n"
        "measures: [{name: consistency, probes: probes.jsonl}, length]\n"
    )
    done = dialeval("run", "study.yaml", "-o", "run", "--json")
    assert done.code == 0, done.err
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    (section,) = summary["consistency"]
    assert section["measure"] == "consistency"
    assert [rate["system"] for rate in section["systems"]] == ["parrot"]
    assert "Where it contradicts itself" in (tmp_path / "run" / "report.html").read_text()
    lines = (tmp_path / "run" / "contradictions.jsonl").read_text().splitlines()
    assert len(lines) == len((tmp_path / "probes.jsonl").read_text().splitlines())
    again = dialeval("run", "study.yaml", "-o", "run", "--json")
    assert again.code == 0, again.err
