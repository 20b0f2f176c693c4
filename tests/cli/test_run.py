"""``dialeval run`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

STUDY = """\
data: prompts.jsonl
systems:
  - {name: good, kind: transcript, path: good.jsonl}
  - {name: floor, kind: echo}
measures: [rouge_l, length]
"""


@pytest.fixture
def study(tmp_path) -> Path:
    def lines(rows):
        return "".join(json.dumps(row) + "\n" for row in rows)

    context = [{"role": "user", "content": "where is it"}]
    prompts = [{"id": f"i{n}", "context": context, "references": [f"it is at {n}"]} for n in range(12)]
    answers = [
        {"id": f"i{n}", "system": "good", "context": context, "response": f"it is {'near ' * (n % 4)}{n}"}
        for n in range(12)
    ]
    (tmp_path / "prompts.jsonl").write_text(lines(prompts))
    (tmp_path / "good.jsonl").write_text(lines(answers))
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path / "study.yaml"


def test_a_run_prints_the_leaderboard_and_the_reports_path(dialeval, study):
    done = dialeval("run", study, "-o", "out")
    assert done.code == 0
    for word in ("good", "floor", "rouge_l", "length", "Report: out/report.html"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert Path("out/report.html").is_file()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sheet.csv", b"question,gold,old_bot\nWho?,Me.,You.\n"),
        ("prompts.jsonl", b'{"id": "1", "context": "Who?"}\n{"id": "2", "context": "Where?"}\n'),
        ("sheet.xlsx", b"PK\x03\x04\xff\xfe"),
        ("chat.txt", b"".join(b"12/03/2024, 10:%02d - Bob: hello\n" % minute for minute in range(40))),
    ],
)
def test_data_in_place_of_a_study_are_told_to_be_no_study(dialeval, name, content):
    """Forty lines of a chat were forty unknown keys."""
    Path(name).write_bytes(content)
    ran = dialeval("run", name)
    assert ran.code == 1
    assert f"'dialeval init {name}' writes a study for it" in ran.err
    assert len(ran.err.splitlines()) <= 2


def test_the_folder_defaults_to_the_studys_name(dialeval, study):
    assert dialeval("run", study).code == 0
    assert Path("runs/study/summary.json").is_file()


def test_the_run_of_another_study_is_not_replaced_without_a_warning(dialeval, study):
    other = study.with_name("other.yaml")
    other.write_text(STUDY)
    assert dialeval("run", study, "-o", "out").code == 0
    assert "warning" not in dialeval("run", study, "-o", "out", "--seed", "5").err, "it is the same study"
    done = dialeval("run", other, "-o", "out", "--json")
    assert (done.code, json.loads(done.out)["study"]) == (0, "other")
    assert (
        "warning: out has the run of another study, 'study', which will be replaced by that of 'other'"
        in done.err
    )
    Path("out/summary.json").write_text("{")
    done = dialeval("run", study, "-o", "out")
    assert (done.code, "warning" in done.err) == (0, False), "a damaged run is replaced as ever"


def test_json_is_the_summary_and_nothing_else_on_stdout(dialeval, study):
    done = dialeval("run", study, "-o", "out", "--json")
    printed = json.loads(done.out)
    assert printed["folder"] == "out"
    assert printed["results"] == json.loads(Path("out/summary.json").read_text())["results"]


def test_jobs_seed_and_resume_do_not_move_scores(dialeval, study):
    runs = [("a",), ("b", "--jobs", "2"), ("c", "--no-resume"), ("d", "--seed", "5")]
    results = [json.loads(dialeval("run", study, "-o", *run, "--json").out)["results"] for run in runs]
    assert results[0] == results[1] == results[2] == results[3]  # intervals come from the spread of units
    assert Path("d/study.yaml").read_text().startswith("# run with seed: 5, overriding the key below\n")


def test_a_gate_that_is_not_met_exits_with_100_after_everything_is_written(dialeval, study):
    done = dialeval("run", study, "-o", "out", "--fail-under", "rouge_l=0.99")
    assert done.code == 100
    assert "gate not met: rouge_l >= 0.99 (good has " in done.err
    assert Path("out/report.html").is_file()
    assert dialeval("run", study, "-o", "out", "--fail-under", "point(rouge_l)=0").code == 0


def test_a_gate_on_something_not_measured_is_a_usage_error(dialeval, study):
    done = dialeval("run", study, "--fail-under", "rogue_l=0.5")
    assert done.code == 2
    assert "rouge_l" in done.err
    assert dialeval("run", study, "--fail-under", "rouge_l").code == 2


def test_a_failed_system_exits_with_1_and_the_rest_is_kept(dialeval, study):
    (study.parent / "good.jsonl").write_text("{broken\n")
    done = dialeval("run", study, "-o", "out")
    assert done.code == 1
    assert "1 part of the study failed; the other results are in" in done.err
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["failures"][0]["system"] == "good"
    assert {row["system"]: row["estimate"]["n"] for row in summary["results"]} == {"good": 0, "floor": 12}


def test_a_folder_with_other_files_is_never_written_into(dialeval, study):
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("years of work")
    done = dialeval("run", study, "-o", "mine")
    assert done.code == 1
    assert "found a folder with other files" in done.err
    assert [path.name for path in Path("mine").iterdir()] == ["thesis.txt"]
    assert dialeval("run", study, "-o", "mine/thesis.txt").code == 1


def test_a_folder_with_a_study_of_ones_own_is_never_written_into(dialeval, study):
    dialeval("demo", "--copy", "mine")
    files = {path: path.read_bytes() for path in Path("mine").rglob("*") if path.is_file()}
    done = dialeval("run", study, "-o", "mine")
    assert done.code == 1
    assert "found a folder with other files" in done.err
    for folder in ("mine", "mine/."):
        own = dialeval("run", "mine/study.yaml", "-o", folder)
        assert own.code == 1
        assert "found the study that is to be run" in own.err
    assert {path: path.read_bytes() for path in Path("mine").rglob("*") if path.is_file()} == files


def test_a_folder_in_which_a_first_run_was_interrupted_is_written_into(dialeval, study):
    Path("out").mkdir()
    for name in (".run.part", "study.yaml", "examples.jsonl"):
        Path("out", name).write_text("")
    assert dialeval("run", study, "-o", "out").code == 0
    assert not Path("out/.run.part").exists()


def test_running_again_replaces_the_run(dialeval, study):
    dialeval("run", study, "-o", "out")
    first = Path("out/results.parquet").read_bytes()
    assert dialeval("run", study, "-o", "out", "--limit", "5").code == 0
    assert json.loads(Path("out/summary.json").read_text())["items"] == 5
    assert dialeval("run", study, "-o", "out").code == 0
    assert Path("out/results.parquet").read_bytes() == first


def silent_study(folder: Path, responses: list[str | None], more: str = "") -> Path:
    """A study of a system that gives these responses, beside one that always gives the reference but for a word."""
    rows = [
        {"id": str(n), "context": [], "references": [f"tea number {n} please"]} for n in range(len(responses))
    ]
    said = {"hush": responses, "main": [f"tea number {n}" for n in range(len(responses))]}
    files = {"prompts": rows} | {
        name: [{"id": str(n), "response": text} for n, text in enumerate(texts)]
        for name, texts in said.items()
    }
    for name, lines in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    systems = "".join(f"  - {{name: {name}, kind: transcript, path: {name}.jsonl}}\n" for name in said)
    path = folder / "silent.yaml"
    path.write_text(f"data: prompts.jsonl\ntrials: 50\nmeasures: [rouge_l]\nsystems:\n{systems}{more}")
    return path


def test_a_gate_on_a_system_that_says_nothing_to_half_of_the_items_exits_with_100(dialeval, tmp_path):
    half = [f"tea number {n} please" if n % 2 else None for n in range(12)]
    study = silent_study(tmp_path, half, 'gates: ["hush: point(rouge_l) >= 0.1"]\n')
    done = dialeval("run", study, "-o", tmp_path / "out")
    assert done.code == 100
    assert "hush left 6 of 12 items unanswered" in " ".join(done.out.split())
    assert dialeval("run", study, "-o", tmp_path / "out", "--allow-unanswered", "0.5").code == 0
    assert "allow_unanswered: 0.5" in (tmp_path / "out/study.yaml").read_text()


@pytest.mark.parametrize("said", [None, "", "\u200b"])
def test_a_system_that_says_nothing_at_all_is_last_and_an_error(dialeval, tmp_path, said):
    study = silent_study(tmp_path, [said] * 12)
    done = dialeval("run", study, "-o", tmp_path / "out", "--json")
    assert done.code == 1
    assert "hush answered none of 12 items" in done.err
    ranks = json.loads(done.out)["ranks"][0]["systems"]
    assert {rank["system"]: rank["rank"] for rank in ranks} == {"main": 1, "hush": 2}
    assert dialeval("run", study, "-o", tmp_path / "out", "--allow-unanswered", "1").code == 0
