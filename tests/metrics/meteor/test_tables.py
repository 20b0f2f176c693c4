from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dialeval.metrics.meteor.lexicon import lines_of
from dialeval.metrics.meteor.metric import compile_tables, read_tables, write_tables
from dialeval.metrics.meteor.words import java_hashes

PARAPHRASES = [
    ("thank you", "thanks"),
    ("of course", "clearly"),
    ("thank you", "many thanks"),
    ("clearly", "of course"),
    ("of", "from"),
    ("of course", "of course not"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A jar and a paraphrase file in METEOR's layout, small enough to check by eye."""
    with zipfile.ZipFile(tmp_path / "meteor-1.5.jar", "w") as jar:
        jar.writestr("function/english.words", "of\nthe\n")
        jar.writestr("nonbreaking/english.prefixes", "# a comment\nMr\nNo #NUMERIC_ONLY#\n")
        jar.writestr("synonym/english.exceptions", "goose\ngeese\n")
        jar.writestr("synonym/english.synsets", "clearly\n00000901 00000702\ngoose\n00000702\n")
    (tmp_path / "data").mkdir()
    lines = [line for phrase, other in PARAPHRASES for line in ("0.5", phrase, other)]
    with gzip.open(tmp_path / "data" / "paraphrase-en.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return tmp_path


def phrases_of(tables) -> dict[int, str]:
    """The phrase of each node."""
    words, first_child = lines_of(tables["words"]), tables["first_child"]
    phrases = dict(enumerate(words))
    for node in range(len(tables["node_words"])):
        for child in range(first_child[node], first_child[node + 1]):
            phrases[child] = f"{phrases[node]} {words[tables['node_words'][child]]}"
    return phrases


def test_the_trie_holds_all_phrases_and_their_paraphrases_in_order_of_the_file(folder: Path) -> None:
    tables = compile_tables(folder)
    phrases = phrases_of(tables)
    assert len(phrases) == len(tables["node_words"])
    first = tables["first_target"]
    found = {
        phrase: [phrases[target] for target in tables["targets"][first[node] : first[node + 1]].tolist()]
        for node, phrase in phrases.items()
        if first[node] < first[node + 1]
    }
    assert found == {
        "thank you": ["thanks", "many thanks"],
        "of course": ["clearly", "of course not"],
        "clearly": ["of course"],
        "of": ["from"],
    }


def test_children_stand_in_order_of_their_word(folder: Path) -> None:
    tables = compile_tables(folder)
    for begin, end in zip(tables["first_child"][:-1], tables["first_child"][1:], strict=True):
        children = tables["node_words"][begin:end].tolist()
        assert children == sorted(set(children))


def test_the_words_are_described(folder: Path) -> None:
    tables = compile_tables(folder)
    words = lines_of(tables["words"])
    at = words.index("of")
    assert tables["function"].tolist() == [word == "of" for word in words]
    assert tables["key"][at] == java_hashes(["of"])[0]
    clearly = words.index("clearly")
    begin, end = tables["first_synset"][clearly : clearly + 2]
    assert sorted(tables["synsets"][begin:end].tolist()) == [0, 1]
    assert lines_of(tables["wordnet"]) == ["clearly", "0 1", "goose", "1"]


@pytest.mark.parametrize(
    ("word", "expected"), [("", 0), ("of", 3543), ("polygenelubricants", -2147483648), ("😀", 1772899)]
)
def test_hashes_are_javas(word: str, expected: int) -> None:
    assert java_hashes(["gelato", word, "of"])[1] == expected


def test_tables_are_read_back_as_written_and_cannot_be_changed(tmp_path: Path, folder: Path) -> None:
    tables = compile_tables(folder)
    path = tmp_path / "cache" / "meteor.tables"
    write_tables(path, tables)
    found = read_tables(path)
    assert found is not None
    assert list(found) == list(tables)
    for name, table in tables.items():
        np.testing.assert_array_equal(found[name], table)
        assert found[name].dtype == table.dtype
        assert not found[name].flags.writeable


def test_absent_cut_or_damaged_tables_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "meteor.tables"
    assert read_tables(path) is None
    write_tables(path, {"numbers": np.arange(1000, dtype=np.int32)})
    content = path.read_bytes()
    for damaged in (content[:-1], content[:-9] + b"x" + content[-8:], b"", b"{}\n", b"no header"):
        path.write_bytes(damaged)
        assert read_tables(path) is None
