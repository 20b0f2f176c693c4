"""``dialeval init`` writes a study that runs, from the files that are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml


def lines(path: str, *records: dict[str, object]) -> None:
    Path(path).write_text("".join(json.dumps(record) + "\n" for record in records))


def prompt(item: str, *references: str) -> dict[str, object]:
    return {
        "id": item,
        "context": [{"role": "user", "content": f"Say {item}"}],
        "references": list(references),
    }


def example(item: str, system: str) -> dict[str, object]:
    return {**prompt(item, f"here is {item}"), "response": f"{system} says {item}", "system": system}


def test_the_study_that_it_writes_runs(dialeval):
    lines("prompts.jsonl", *(prompt(str(n), f"here is {n}") for n in range(4)))
    lines("old.jsonl", *(example(str(n), "old") for n in range(4)))
    lines("both.jsonl", *(example(str(n), name) for n in range(4) for name in ("a b", "c")))
    done = dialeval("init", "prompts.jsonl", "old.jsonl", "both.jsonl")
    assert done.code == 0, done.err
    study = yaml.safe_load(Path("study.yaml").read_text())
    assert [system["name"] for system in study["systems"]] == ["old", "a b", "c"]
    assert study["data"] == "prompts.jsonl"
    assert "rouge_l" in study["measures"]
    ran = dialeval("run", "study.yaml", "-o", "out")
    assert ran.code == 0, ran.err
    assert len(json.loads(Path("out/summary.json").read_text())["results"]) == 3 * len(study["measures"])


def test_data_without_references_gets_measures_that_need_none(dialeval):
    lines("prompts.jsonl", prompt("1"), prompt("2"))
    assert dialeval("init", "prompts.jsonl", "-o", "new.yaml").code == 0
    study = yaml.safe_load(Path("new.yaml").read_text())
    assert study["measures"] == ["distinct(n=2)", "length"]
    assert study["systems"] == [{"name": "echo", "kind": "echo"}]


def test_ratings_become_the_human_side_with_one_of_their_criteria(dialeval):
    lines("old.jsonl", example("1", "old"))
    judged = {"item": "1", "system": "old", "rater": "ann", "value": 3}
    lines("ratings.jsonl", {**judged, "criterion": "fluent"}, {**judged, "criterion": "clear"})
    assert dialeval("init", "old.jsonl", "ratings.jsonl").code == 0
    study = yaml.safe_load(Path("study.yaml").read_text())
    assert study["human"] == {"path": "ratings.jsonl", "criterion": "clear"}
    assert study["data"] == "old.jsonl"


def test_a_study_is_not_overwritten_unless_asked(dialeval):
    lines("prompts.jsonl", prompt("1", "x"))
    Path("study.yaml").write_text("mine")
    assert dialeval("init", "prompts.jsonl").code == 1
    assert Path("study.yaml").read_text() == "mine"
    assert dialeval("init", "prompts.jsonl", "--force").code == 0


def test_files_without_contexts_are_refused(dialeval):
    lines("ratings.jsonl", {"item": "1", "system": "old", "rater": "ann", "criterion": "c", "value": 3})
    done = dialeval("init", "ratings.jsonl")
    assert done.code == 1
    assert "ratings.jsonl (judgement)" in done.err
    assert not Path("study.yaml").exists()


@pytest.mark.parametrize(
    ("word", "verb"),
    [("evaluate", "dialeval score FILE"), ("correlate", "dialeval meta"), ("ls", "dialeval data ls")],
)
def test_verbs_of_other_tools_are_translated(dialeval, word, verb):
    done = dialeval(word)
    assert done.code == 2
    assert verb in " ".join(done.err.replace("│", " ").split())


def test_files_of_one_stem_and_names_that_yaml_would_misread_get_names_of_their_own(dialeval):
    lines("prompts.jsonl", *(prompt(str(n), f"here is {n}") for n in range(4)))
    lines("bot.jsonl", *(example(str(n), "a") for n in range(4)))
    Path("bot.txt").write_text("one\ntwo\nthree\nfour\n")
    Path("1e3.txt").write_text("one\ntwo\nthree\nfour\n")
    lines("both.jsonl", *(example(str(n), name) for n in range(4) for name in ("yes", "bot.txt")))
    assert dialeval("init", "prompts.jsonl", "bot.jsonl", "bot.txt", "1e3.txt", "both.jsonl").code == 0
    names = [system["name"] for system in yaml.safe_load(Path("study.yaml").read_text())["systems"]]
    assert names == ["bot.jsonl", "bot.txt", "1e3", "yes", "bot.txt 2"]
    assert dialeval("run", "study.yaml", "-o", "out").code == 0


def test_dialogues_beside_prompts_are_what_a_system_said(dialeval):
    lines("prompts.jsonl", *(prompt(str(n), f"here is {n}") for n in range(4)))
    said = [
        {
            "id": str(n),
            "messages": [{"role": "user", "content": "where"}, {"role": "assistant", "content": "here"}],
        }
        for n in range(4)
    ]
    lines("chats.jsonl", *said)
    assert dialeval("init", "chats.jsonl", "prompts.jsonl").code == 0
    study = yaml.safe_load(Path("study.yaml").read_text())
    assert (study["data"], study["systems"]) == (
        "prompts.jsonl",
        [{"name": "chats", "kind": "transcript", "path": "chats.jsonl"}],
    )


def test_paths_are_relative_wherever_the_study_lies(dialeval, tmp_path):
    lines("prompts.jsonl", *(prompt(str(n), f"here is {n}") for n in range(4)))
    Path("answers").mkdir()
    lines("answers/old.jsonl", *(example(str(n), "old") for n in range(4)))
    Path("studies").mkdir()
    done = dialeval(
        "init", str(Path("prompts.jsonl").resolve()), "answers/old.jsonl", "-o", "studies/new.yaml"
    )
    assert done.code == 0, done.err
    study = yaml.safe_load(Path("studies/new.yaml").read_text())
    assert study["data"] == "../prompts.jsonl"
    assert study["systems"][0]["path"] == "../answers/old.jsonl"
    assert dialeval("run", "studies/new.yaml", "-o", "out", "--limit", "4").code == 0


def test_a_file_with_a_reader_of_its_own_becomes_a_system_of_its_name(dialeval):
    Path("odd.csv").write_text("zeta;alpha\nWhere?;Here it is.\nWho?;Me.\n")
    assert "'init' and studies write my.py:read:odd.csv" in dialeval("init", "odd.csv").err
    Path("my.py").write_text(
        "from pathlib import Path\n\n\n"
        "def read(path):\n    for line in Path(path).read_text().splitlines()[1:]:\n"
        "        asked, said = line.split(';')\n"
        "        yield {'context': asked, 'response': said, 'references': [said]}\n"
    )
    assert dialeval("init", "my.py:read:odd.csv").code == 0
    (system,) = yaml.safe_load(Path("study.yaml").read_text())["systems"]
    assert (system["name"], system["path"]) == ("odd", "my.py:read:odd.csv")
    done = dialeval("run", "study.yaml", "-o", "out")
    assert done.code == 0, done.err
    Path("studies").mkdir()
    assert dialeval("init", "my.py:read:odd.csv", "-o", "studies/new.yaml").code == 0
    elsewhere = dialeval("run", "studies/new.yaml", "-o", "other")
    assert elsewhere.code == 0, elsewhere.err
    assert Path("other/examples.jsonl").read_bytes() == Path("out/examples.jsonl").read_bytes()
