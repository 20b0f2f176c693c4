"""Judgements from files and run folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.data import Judgement, write
from dialeval.errors import BadInput
from dialeval.meta.judgements import join
from dialeval.ratings.table import read_judgements
from dialeval.study import load_study, run_study, write_run

STUDY = """
name: tiny
data: prompts.jsonl
systems:
  - {name: one, kind: transcript, path: one.jsonl}
  - {name: two, kind: transcript, path: two.jsonl}
measures: [bleu(order=2), length]
trials: 10
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of two systems on two items, where system two has no answer to the second."""
    (tmp_path / "prompts.jsonl").write_text(
        '{"id": "i1", "context": [], "references": ["a b c"]}\n{"id": "i2", "context": [], "references": ["d e"]}\n'
    )
    for name, answers in (("one", ["a b", "d"]), ("two", ["c b a"])):
        lines = [
            f'{{"id": "i{at}", "system": "{name}", "context": [], "response": "{text}"}}\n'
            for at, text in enumerate(answers, start=1)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    (tmp_path / "study.yaml").write_text(STUDY)
    write_run(run_study(load_study(tmp_path / "study.yaml")), tmp_path / "run")
    return tmp_path / "run"


def test_a_run_folder_gives_its_measures_values(folder: Path) -> None:
    ratings = read_judgements([folder])
    assert ratings.items == ("i1", "i2")
    assert ratings.systems == ("one", "two")
    assert ratings.criteria == ("bleu", "length")
    length = ratings.by(criteria=["length"])
    assert length.value.tolist() == [2.0, 1.0, 3.0, 0.0]  # the last is unanswered


def test_the_results_file_alone_reads_the_same_as_its_folder(folder: Path) -> None:
    whole, file = read_judgements([folder]), read_judgements([folder / "results.parquet"])
    assert whole.raters == file.raters
    assert whole.value.tolist()[:3] == file.value.tolist()[:3]
    assert (whole.rater == file.rater).all()


def test_a_run_joins_people_by_item_and_system(folder: Path) -> None:
    people = [
        Judgement("i1", "one", "ann", "overall", 5.0),
        Judgement("i1", "two", "ann", "overall", 2.0),
        Judgement("i9", "two", "ann", "overall", 2.0),
    ]
    write(folder / "people.jsonl", people)
    joined = join(read_judgements([folder, folder / "people.jsonl"]), "overall")
    assert [one.name for one in joined.measures] == ["bleu(order=2)", "length"]
    assert [(one.side, one.item) for one in joined.unjoined] == [
        ("human", "i9"),
        ("bleu(order=2)", "i2"),
        ("bleu(order=2)", "i2"),
        ("length", "i2"),
        ("length", "i2"),
    ]


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a folder without results.parquet and manifest.json"):
        read_judgements([tmp_path])


def test_contradicting_files_are_both_named(tmp_path: Path) -> None:
    for name, value in (("a.jsonl", 1.0), ("b.jsonl", 2.0)):
        write(tmp_path / name, [Judgement("i", "s", "ann", "overall", value)])
    with pytest.raises(
        BadInput, match=r"b\.jsonl, line 1, field 'value': found two values, 1 and 2"
    ) as error:
        read_judgements([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert "(the other stands in " in str(error.value)
    assert "a.jsonl, line 1), expected one value" in str(error.value)


def test_a_named_format_is_read_from_its_folder(shared_data: Path) -> None:
    ratings = read_judgements([shared_data / "grade"], format="grade")
    assert len(ratings) == 8960
    assert ratings.criteria == ("coherence",)
