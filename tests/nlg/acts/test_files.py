"""Files of acts: the published forms, our own lines, and every row of the real corpora."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dialeval.data.codec.bad import BadLine
from dialeval.errors import BadInput, UnknownName, Unsuitable
from dialeval.nlg.acts.files import ActItem, pooled, read_acts, read_splits
from dialeval.nlg.acts.notations import PRINTERS, parse_act, print_act
from dialeval.nlg.acts.placeholders import delexicalise, lexicalise

COMMENTS = "#\n" * 5


def test_rnnlg_skips_its_comments_and_keeps_the_baseline_apart(tmp_path: Path) -> None:
    rows = [["inform(name=x)", "x is nice", "x is a place"], ["goodbye()", "bye", "goodbye"]]
    for split in ("train", "valid", "test"):
        (tmp_path / f"{split}.json").write_text(COMMENTS + json.dumps(rows), encoding="utf-8")
    splits = read_splits(f"rnnlg:{tmp_path}")
    assert {split: len(items) for split, items in splits.items()} == {"train": 2, "valid": 2, "test": 2}
    item = splits["test"][0]
    assert (item.item, item.references, item.baseline) == ("test-1", ("x is nice",), "x is a place")
    assert len(list(read_acts(f"rnnlg:{tmp_path}"))) == 6


def test_rnnlg_as_editors_on_windows_save_it(tmp_path: Path) -> None:
    text = (COMMENTS + json.dumps([["inform(name=x)", "x is nice"]], indent=1)).replace("\n", "\r\n")
    (tmp_path / "train.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (item,) = read_acts(f"rnnlg:{tmp_path / 'train.json'}")
    assert item.references == ("x is nice",)


def test_a_bad_row_names_file_line_and_what_does_not_parse(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    path.write_text(COMMENTS + '[\n["inform(name=x)", "x"],\n["inform(name=x", "x"]\n]', encoding="utf-8")
    bad: list[BadLine] = []
    assert len(list(read_acts(f"rnnlg:{path}", bad.append))) == 1
    assert bad[0].error.line == 8
    assert "element 2" in bad[0].error.found
    with pytest.raises(BadInput, match=r"train\.json, line 8, field 'act'"):
        list(read_acts(f"rnnlg:{path}"))


def test_dstc2_reads_blocks_and_refuses_others(tmp_path: Path) -> None:
    path = tmp_path / "test_data.txt"
    path.write_text("request(food;) \nrequest(food) \nWhat food?\n\nreqmore() \nMore?\n", encoding="utf-8")
    bad: list[BadLine] = []
    items = list(read_acts(f"dstc2:{path}", bad.append))
    assert [(item.item, item.references) for item in items] == [("test-1", ("What food?",))]
    assert bad[0].error.found == "a block of 2 lines"
    assert bad[0].error.line == 5


def test_e2e_pools_references_and_keeps_outputs_apart(tmp_path: Path) -> None:
    (tmp_path / "refs.csv").write_text(
        'mr,ref\n"name[A], area[b]",One.\n"name[A], area[b]",Two.\n', encoding="utf-8"
    )
    (item,) = read_acts(f"e2e:{tmp_path / 'refs.csv'}")
    assert item.references == ("One.", "Two.")
    (tmp_path / "sys.tsv").write_text("MR\toutput\n'name[A]'\t'A is here.'\n", encoding="utf-8")
    (output,) = read_acts(f"e2e:{tmp_path / 'sys.tsv'}")
    assert (output.system, output.response, output.meaning) == ("sys", "A is here.", parse_act("name[A]"))


def test_frames_gives_wizards_turns_with_the_acts_that_name_no_frame(tmp_path: Path) -> None:
    offer = [{"name": "offer", "args": [{"key": "dst_city", "val": "Rome"}, {"key": "budget", "val": "-1"}]}]
    referring = [
        {
            "name": "inform",
            "args": [{"key": "ref", "val": [{"frame": 2}]}, {"key": "breakfast", "val": True}],
        },
        {"name": "request", "args": [{"key": "str_date"}]},
    ]
    turns = [
        {"author": "user", "text": "Rome, please.", "labels": {"acts": offer}},
        {
            "author": "wizard",
            "text": "Rome it is.",
            "labels": {"acts": referring, "acts_without_refs": offer},
        },
        {"author": "wizard", "text": "With breakfast. When?", "labels": {"acts": referring}},
        {"author": "wizard", "text": "Hm.", "labels": {"acts": []}},
    ]
    rows = [{"id": "d1", "turns": turns}, {"id": "d2"}]
    (tmp_path / "frames.json").write_text(json.dumps(rows), encoding="utf-8")
    bad: list[BadLine] = []
    items = list(read_acts(f"frames:{tmp_path / 'frames.json'}", bad.append))
    assert [(item.item, print_act(item.meaning), item.references) for item in items] == [
        ("d1/2", "offer(dst_city=Rome;budget=dontcare)", ("Rome it is.",)),
        ("d1/3", "inform(breakfast=yes) request(str_date)", ("With breakfast. When?",)),
    ]
    assert "element 2 of the list" in bad[0].error.found
    (tmp_path / "frames.json").write_text(json.dumps(rows[:1]), encoding="utf-8")
    assert list(read_splits(f"frames:{tmp_path}")) == ["train"]


def test_our_lines_need_an_act_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "acts.jsonl"
    path.write_text(
        '{"act": "goodbye()"}\n{"id": 7, "act": {"act": "bye"}, "response": "Bye."}\n', encoding="utf-8"
    )
    assert [(item.item, item.response) for item in read_acts(path)] == [("1", None), ("7", "Bye.")]
    path.write_text('{"id": "1", "response": "x"}\n', encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        list(read_acts(path))
    assert (caught.value.line, caught.value.field) == (1, "act")


def test_wrong_names_and_empty_folders_are_explained(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'rnnlg'"):
        list(read_acts(f"rnlg:{tmp_path}"))
    with pytest.raises(BadInput, match=r"train\.json, valid\.json, test\.json"):
        read_splits(f"rnnlg:{tmp_path}")


REAL = {
    "rnnlg:rnnlg/restaurant": (5_192, 5_192),
    "rnnlg:rnnlg/tv": (7_035, 7_035),
    "rnnlg:rnnlg/laptop": (13_242, 13_242),
    "dstc2:dstc2-nlg": (21_550, 21_550),
    "e2e:e2e-nlg": (1_177, 9_365),
    "alex:alex-context-nlg": (1_859, 5_577),
}
"""Items and references of each corpus; no row of any is left out."""
REORDERED = {"rnnlg:rnnlg/restaurant": 30}
"""Sentences that name the parts of a value in another order, which RNNLG's delexicalisation loses."""


@pytest.mark.slow
@pytest.mark.parametrize("source", REAL)
def test_every_row_is_parsed_printed_and_delexicalised_without_loss(shared_data: Path, source: str) -> None:
    form, _, folder = source.partition(":")
    bad: list[BadLine] = []
    items = list(read_acts(f"{form}:{shared_data / folder}", bad.append))
    assert bad == []
    assert (len(items), sum(len(item.references) for item in items)) == REAL[source]
    for meaning in {item.meaning for item in items}:
        for printer in PRINTERS:
            try:
                printed = print_act(meaning, printer)
            except Unsuitable:
                assert printer == "e2e"  # the only form that holds one inform act alone
                continue
            assert parse_act(printed) == meaning
    losses: Counter[str] = Counter()
    for item in items:
        for sentence in item.references:
            assert lexicalise(delexicalise(item.meaning, sentence).text, item.meaning) == sentence
            plain = delexicalise(item.meaning, sentence, orders=True)
            kept = lexicalise(plain.text, item.meaning) == sentence
            assert kept == (plain.loss is None)
            losses[plain.loss or "none"] += 1
    assert losses["value in another order"] == REORDERED.get(source, 0)
    assert losses["placeholder in the sentence"] == 0


@pytest.mark.slow
def test_every_output_of_the_e2e_challenge_is_parsed(shared_data: Path) -> None:
    folder = shared_data / "e2e-nlg" / "system_outputs" / "primary"
    counts = {path.stem: len(list(read_acts(f"e2e:{path}"))) for path in sorted(folder.glob("*.tsv"))}
    assert len(counts) == 21
    assert set(counts.values()) == {630}


ITEMS = [
    ActItem("1", parse_act("inform(name=aa;food=thai)"), ("aa serves thai",)),
    ActItem("2", parse_act("inform(food=thai;name=aa)"), ("thai at aa",)),
    ActItem("3", parse_act("inform(name=bb;food=greek)"), ("bb , greek",)),
    ActItem("4", parse_act("inform(name=cc;food=dontcare)"), ("cc",)),
    ActItem("5", parse_act("inform(name=dd;food=greek)"), ("dd has no food",)),
]


def test_none_keeps_each_items_own() -> None:
    assert pooled(ITEMS, "none") == [item.references for item in ITEMS]


def test_act_joins_identical_acts_in_any_order_of_slots() -> None:
    assert pooled(ITEMS, "act")[:3] == [("aa serves thai", "thai at aa")] * 2 + [("bb , greek",)]


def test_slots_refills_sentences_of_acts_with_the_same_slots() -> None:
    references = pooled(ITEMS, "slots")
    assert references[2] == ("bb , greek", "bb serves greek", "greek at bb")
    assert references[3] == ("cc",)  # a special value is a class of its own
    # What does not hold all values of its act cannot be refilled, so it stays with its own item.
    assert references[4] == ("dd has no food", "dd serves greek", "greek at dd", "dd , greek")


@pytest.mark.slow
def test_rnnlg_pools_about_thirteen_references_per_item(shared_data: Path) -> None:
    items = read_splits(f"rnnlg:{shared_data / 'rnnlg' / 'restaurant'}")["test"]
    sizes = {pool: sum(map(len, pooled(items, pool))) / len(items) for pool in ("none", "act", "slots")}  # type: ignore[arg-type]
    assert sizes["none"] == 1
    assert 6 < sizes["act"] < 8
    assert 12 < sizes["slots"] < 14  # facts.md: about 13
