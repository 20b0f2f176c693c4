"""Studies from end to end by the command line: init, simulate, export, and what reads the judgements."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from dialeval.annotation.scales import read_scales
from dialeval.data import Dialogue, Turn, read, write
from dialeval.ratings import RatingScale
from dialeval.study import load_study
from support.processes import environment
from support.rating_studies import made_examples


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    path = tmp_path / "examples.jsonl"
    write(path, made_examples(6))
    return path


def test_a_study_is_made_simulated_exported_and_measured(dialeval, examples: Path, tmp_path: Path) -> None:
    made = dialeval("annotate", "init", examples, "-o", "st", "--kind", "likert", "--criterion", "overall",
                    "--raters", 3, "--overlap", 3, "--seed", 1)  # fmt: skip
    assert made.code == 0, made.err
    assert "18 items" in made.out
    secret = Path("st/secret")
    assert secret.stat().st_mode & 0o077 == 0
    filled = dialeval("annotate", "simulate", "st", "--raters", 3, "--noise", 0.1, "--seed", 1, "--json")
    assert filled.code == 0, filled.err
    assert json.loads(filled.out)["places"] == {"wanted": 54, "done": 54, "in_hand": 0, "complete_items": 18}
    for name in ("out.jsonl", "out.csv", "out.parquet"):
        exported = dialeval("annotate", "export", "st", "-o", name)
        assert exported.code == 0, exported.err
        assert len(list(read(tmp_path / name, "judgement"))) == 54
    agreed = dialeval("annotate", "agreement", "out.jsonl", "--json")
    assert agreed.code == 0, agreed.err
    assert json.loads(agreed.out)["criteria"]["overall"]["ratings"] == 54
    full = [json.loads(line) for line in Path("out.answers.jsonl").read_text().splitlines()]
    assert {answer["system"] for answer in full} == {"alpha-bot", "beta-bot", "gamma-bot"}
    assert all(answer["seconds"] > 0 and answer["revision"] == 1 for answer in full)
    assert read_scales(tmp_path / "out.csv") == {"overall": RatingScale(1, 5)}
    provenance = json.loads(Path("out.provenance.json").read_text())
    assert provenance["judgements"] == 54
    assert len(provenance["source"]["sha256"]) == 64


def test_less_noise_gives_more_agreement_and_equal_seeds_give_equal_judgements(
    dialeval, examples: Path
) -> None:
    dialeval("annotate", "init", examples, "-o", "st", "--overlap", 3)
    found = []
    for copy, noise in (("a", 0.05), ("b", 0.05), ("c", 0.6)):
        dialeval("annotate", "simulate", "st", "--copy", copy, "--noise", noise, "--seed", 4)
        assert dialeval("annotate", "export", copy, "-o", f"{copy}.jsonl").code == 0
        agreed = json.loads(dialeval("annotate", "agreement", f"{copy}.jsonl", "--json").out)
        found.append(agreed["criteria"]["overall"]["krippendorff_alpha"]["ordinal"])
    assert found[0] == found[1] > found[2] + 0.2
    rows = [{str(judgement) for judgement in read(Path(f"{name}.jsonl"), "judgement")} for name in "ab"]
    assert rows[0] == rows[1]


@pytest.mark.slow
def test_judgements_of_the_demos_run_correlate_with_its_measures(dialeval) -> None:
    ran = dialeval("demo", "--quick", "-o", "run")
    assert ran.code == 0, ran.err
    assert dialeval("annotate", "init", "run", "-o", "st", "--overlap", 2, "--limit", 12).code == 0
    assert dialeval("annotate", "simulate", "st", "--seed", 2).code == 0
    assert dialeval("annotate", "export", "st", "-o", "people.jsonl").code == 0
    related = dialeval("meta", "people.jsonl", "run", "--json")
    assert related.code == 0, related.err
    assert json.loads(related.out)


def test_candidates_rated_in_the_browser_are_vetted(dialeval, tmp_path: Path) -> None:
    from importlib.resources import files

    draft = files("dialeval.study").joinpath("demo", "selection", "draft.jsonl")
    lines = draft.read_text(encoding="utf-8").splitlines()[:6]
    (tmp_path / "draft.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = dialeval(
        "annotate", "init", "draft.jsonl", "-o", "st", "--criterion", "acceptability", "--overlap", 3
    )
    assert made.code == 0, made.err
    # A seed in whose made-up qualities ground truths are good.
    assert dialeval("annotate", "simulate", "st", "--seed", 198, "--noise", 0.05).code == 0
    assert dialeval("annotate", "export", "st", "-o", "scores.jsonl").code == 0
    scores = list(read(tmp_path / "scores.jsonl", "judgement"))
    assert {judgement.criterion for judgement in scores} == {"acceptability"}
    assert {value for judgement in scores if (value := judgement.value) is not None} <= {0, 1, 2, 3, 4, 5}
    vetted = dialeval("select", "vet", "draft.jsonl", "--scores", "scores.jsonl", "-o", "vetted", "--json")
    assert vetted.code == 0, vetted.err
    assert json.loads(vetted.out)


def test_contradictions_are_collected_as_pairs_of_turns(dialeval, tmp_path: Path) -> None:
    turns = tuple(Turn(("user", "assistant")[number % 2], f"Line {number}.") for number in range(6))
    write(tmp_path / "talks.jsonl", [Dialogue(f"d{number}", turns, "bot") for number in range(8)])
    made = dialeval("annotate", "init", "talks.jsonl", "-o", "st", "--kind", "contradiction",
                    "--criterion", "contradiction", "--overlap", 3)  # fmt: skip
    assert made.code == 0, made.err
    assert dialeval("annotate", "simulate", "st", "--seed", 3).code == 0
    assert dialeval("annotate", "export", "st", "-o", "labels.jsonl").code == 0
    values = {judgement.value for judgement in read(tmp_path / "labels.jsonl", "judgement")}
    assert values == {0.0, 1.0}
    marked = [
        json.loads(line)["answers"]["contradiction"]["turns"]
        for line in Path("labels.answers.jsonl").read_text().splitlines()
    ]
    assert all(pair == [] or (len(pair) == 2 and 1 <= pair[0] < pair[1] <= 6) for pair in marked)
    assert any(marked)


def test_preferences_are_read_as_they_are_exported(dialeval, examples: Path) -> None:
    made = dialeval(
        "annotate",
        "init",
        examples,
        "-o",
        "st",
        "--kind",
        "pairwise",
        "--criterion",
        "better",
        "--overlap",
        2,
    )
    assert made.code == 0, made.err
    assert "18 items" in made.out
    assert dialeval("annotate", "simulate", "st", "--seed", 1).code == 0
    assert dialeval("annotate", "export", "st", "-o", "out.jsonl").code == 0
    ranked = dialeval("annotate", "preferences", "out.preferences.jsonl", "--json")
    assert ranked.code == 0, ranked.err
    assert json.loads(ranked.out)["judgements"] == 36
    assert dialeval("annotate", "agreement", "out.jsonl").code == 0


def test_raters_talk_with_a_system_and_then_rate(dialeval, tmp_path: Path) -> None:
    from importlib.resources import as_file, files

    with as_file(files("dialeval.study").joinpath("demo")) as bundled:
        assert [system.name for system in load_study(bundled / "study.yaml").systems][-2] == "echo"
        made = dialeval("annotate", "init", bundled / "prompts.jsonl", "-o", "st", "--chat", 2, "--system", "echo",
                        "--criterion", "engaging", "--overlap", 1, "--limit", 3)  # fmt: skip
    assert made.code == 0, made.err
    assert dialeval("annotate", "simulate", "st", "--seed", 1).code == 0
    assert dialeval("annotate", "export", "st", "-o", "out.jsonl").code == 0
    talks = list(read(tmp_path / "out.talks.jsonl", "dialogue"))
    assert len(talks) == 3
    for talk in talks:
        said = talk.turns[int(str(talk.metadata["opening"])) :]
        assert [turn.speaker for turn in said] == ["user", "assistant"] * 2
        assert said[0].text == said[1].text
        assert talk.system == "echo"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kind", "lickert"), "Did you mean 'likert'"),
        (("--raters", "2", "--overlap", "3"), "no item could be finished"),
        (("--scale", "5"), "as in 1-7"),
        (("--kind", "pairwise", "--kind", "likert"), "one for each"),
        (
            ("--kind", "pairwise", "--criterion", "a", "--kind", "turns", "--criterion", "b"),
            "Make a study for each",
        ),
        (("--gold", "examples.jsonl", "--qualify", "2"), "field 'value'"),
    ],
)
def test_a_study_that_cannot_be_made_says_why(dialeval, examples: Path, arguments, said: str) -> None:
    failed = dialeval("annotate", "init", examples, "-o", "st", *arguments)
    assert failed.code == (2 if "lickert" in arguments else 1)  # an unknown name is a usage error
    assert said in failed.err
    assert not Path("st").exists()


def test_a_study_is_not_overwritten(dialeval, examples: Path) -> None:
    assert dialeval("annotate", "init", examples, "-o", "st").code == 0
    again = dialeval("annotate", "init", examples, "-o", "st")
    assert again.code == 1
    assert "a rating study" in again.err


def test_a_public_address_is_refused_without_tokens(dialeval, examples: Path) -> None:
    dialeval("annotate", "init", examples, "-o", "st")
    refused = dialeval("annotate", "serve", "st", "--host", "0.0.0.0", "--open", "--port", 0)
    assert refused.code == 1
    assert "anybody could join" in refused.err


def test_serve_prints_the_owners_link_and_one_for_each_rater(dialeval, examples: Path) -> None:
    dialeval("annotate", "init", examples, "-o", "st", "--rater", "ann", "--rater", "bob", "--overlap", 2)
    command = [sys.executable, "-m", "dialeval", "annotate", "serve", "st", "--port", "0"]
    printed = []
    for _ in range(2):
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=environment(), **piped) as process:
            try:
                links = [process.stdout.readline().strip() for _ in range(3)]
                for link in links[:2]:
                    with build_opener(HTTPCookieProcessor()).open(link, timeout=60) as page:
                        assert page.status == 200
            finally:
                process.terminate()
            _, talk = process.communicate(timeout=60)
        assert "ann" in talk
        assert not any(link.rpartition("/")[2] in talk for link in links)
        printed.append([re.sub(r":\d+/", "/", link) for link in links])
    assert printed[0] == printed[1]
    assert re.fullmatch(r"http://127\.0\.0\.1/o/[\w-]{32}", printed[0][0])
    assert all(re.fullmatch(r"http://127\.0\.0\.1/r/[\w-]{32}", link) for link in printed[0][1:])


def test_a_full_study_is_not_simulated_again(dialeval, examples: Path) -> None:
    """The numbers printed would be those of the first simulation."""
    made = ("--kind", "likert", "--criterion", "overall", "--overlap", 2, "--raters", 2)
    assert dialeval("annotate", "init", examples, "-o", "st", *made).code == 0
    first = dialeval("annotate", "simulate", "st", "--seed", 1)
    assert first.code == 0
    assert "the simulated answers are in st now" in first.err
    again = dialeval("annotate", "simulate", "st", "--noise", 0, "--seed", 9)
    assert again.code == 1
    assert "wants no more" in again.err


def test_simulated_raters_are_kept_from_peoples_answers(dialeval, examples: Path) -> None:
    from dialeval.annotation.project import read_project
    from support.rating_studies import made_store

    dialeval("annotate", "init", examples, "-o", "st")
    store = made_store(read_project(Path("st")))
    rater = store.add_rater("rater-1").id
    store.submit(rater, store.claim(rater).item, 0, {"overall": {"value": 3}})
    store.close()
    refused = dialeval("annotate", "simulate", "st")
    assert refused.code == 1
    assert "--copy" in refused.err


def test_an_export_without_answers_says_so(dialeval, examples: Path) -> None:
    dialeval("annotate", "init", examples, "-o", "st")
    refused = dialeval("annotate", "export", "st", "-o", "out.jsonl")
    assert refused.code == 1
    assert "nobody has answered yet" in refused.err


def test_answers_come_back_from_a_crowd_platforms_table(dialeval, examples: Path, tmp_path: Path) -> None:
    dialeval("annotate", "init", examples, "-o", "st", "--overlap", 2)
    assert dialeval("annotate", "tasks", "st", "-o", "tasks.csv").code == 0
    with (tmp_path / "tasks.csv").open(newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 18
    assert "-bot" not in (tmp_path / "tasks.csv").read_text(encoding="utf-8")
    filled = tmp_path / "batch.csv"
    with filled.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table)
        writer.writerow(["WorkerId", "Input.task", "Input.candidate", "Answer.score", "AssignmentStatus"])
        for worker, score in (("W1", "4"), ("W2", "very good"), ("W3", "1")):
            for row in rows[:2]:
                writer.writerow([worker, row["task"], row["candidate"], score, "Approved"])
        writer.writerow(["W4", "no-such-task", "", "3", "Approved"])
    taken = dialeval("annotate", "import", "st", filled)
    assert taken.code == 1
    assert "4 answers stored" in taken.out
    assert "2 came after" in taken.out
    assert "1 answer not used: unknown task (first: " in taken.out
    assert "no-such-task" in taken.out
    assert "4 were stored before" in dialeval("annotate", "import", "st", filled).out
    assert dialeval("annotate", "export", "st", "-o", "out.jsonl").code == 0
    values = {(judgement.rater, judgement.value) for judgement in read(tmp_path / "out.jsonl", "judgement")}
    assert values == {("W1", 4.0), ("W2", 5.0)}


def test_responses_that_are_missing_are_left_out_and_counted_by_system(dialeval, tmp_path: Path) -> None:
    """People cannot rate silence, so their mean ratings do not show it."""
    rows = [
        {
            "id": str(n),
            "system": name,
            "context": "Hi?",
            "response": None if name == "hush" and n % 2 else "Ho.",
        }
        for n in range(6)
        for name in ("main", "hush")
    ]
    (tmp_path / "silent.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = dialeval("annotate", "init", tmp_path / "silent.jsonl", "-o", "st", "--kind", "likert")
    assert made.code == 0, made.err
    assert "9 items" in made.out
    assert "left out, since there is no response to rate: hush 3; mean ratings will not count" in made.err
