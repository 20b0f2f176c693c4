"""Small files that unpack to far more: refused by a limit that is written down and can be raised."""

from __future__ import annotations

import gzip
import io
import json
import struct
import time
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialeval.data import read
from dialeval.data.codec import sources
from dialeval.data.importers import whatsapp
from dialeval.errors import BadInput
from dialeval.metrics.embedding.sources import Source as VectorSource
from dialeval.nlg.acts import placeholders
from dialeval.nlg.slots import spellings
from dialeval.nlg.slots.lexicon import read_aliases
from dialeval.selection.repository import words
from dialeval.study.file import load_study
from dialeval.systems.trained.roster import load_roster
from support.fuzzing import seeds

LINE = json.dumps(seeds.EXAMPLES[0])


@pytest.fixture(autouse=True)
def little_room(monkeypatch):
    """A limit of 1 MiB in place of 256, so that the bombs are small."""
    monkeypatch.setattr(sources, "FREE", 2**20)


def refusal(path, kind="example"):
    with pytest.raises(BadInput) as caught:
        list(read(path, kind, on_bad=lambda bad: None))
    return str(caught.value)


def test_a_gzip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=9) as out:
        out.write(f"{LINE}\n".encode())
        for _ in range(64):
            out.write(b" " * 2**20)
    assert path.stat().st_size < 100_000
    told = refusal(path)
    assert "packed bytes that unpack to" in told
    assert "at most 200 times as many" in told
    assert "--unpack-ratio" in told


def test_the_limit_can_be_raised(tmp_path):
    path = tmp_path / "long.jsonl.gz"
    rows = [{**seeds.EXAMPLES[0], "id": str(n), "response": "ha " * 300} for n in range(3000)]
    path.write_bytes(gzip.compress(seeds.jsonl(rows), 9))
    with sources.allowed_ratio(20), pytest.raises(BadInput, match="at most 20 times"):
        list(read(path, "example"))
    with sources.allowed_ratio(1000):
        assert len(list(read(path, "example"))) == 3000


def test_the_command_has_an_option_for_the_limit(dialeval, tmp_path):
    path = tmp_path / "long.jsonl.gz"
    rows = [{**seeds.EXAMPLES[0], "id": str(n), "response": "ha " * 300} for n in range(3000)]
    path.write_bytes(gzip.compress(seeds.jsonl(rows), 9))
    refused = dialeval("--unpack-ratio", "20", "data", "validate", path)
    assert (refused.code, "at most 20 times" in refused.err) == (1, True)
    assert dialeval("--unpack-ratio", "1000", "data", "validate", path).code == 0


def test_the_option_ends_with_its_command(dialeval, tmp_path):
    path = tmp_path / "long.jsonl.gz"
    rows = [{**seeds.EXAMPLES[0], "id": str(n), "response": "ha " * 300} for n in range(3000)]
    path.write_bytes(gzip.compress(seeds.jsonl(rows), 9))
    assert dialeval("--unpack-ratio", "1000", "data", "validate", path).code == 0
    assert "at most 200 times" in dialeval("data", "validate", path).err


def test_a_workbook_bomb_is_refused(tmp_path):
    whole = seeds.workbook([["item", "system", "r1"], ["a", "s", 1]])
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(whole)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            content = before.read(name)
            more = b"<!--" + b" " * (8 * 2**20) + b"-->" if name.endswith("sheet1.xml") else b""
            after.writestr(name, content + more)
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(out.getvalue())
    assert "packed bytes that unpack to" in refusal(path, "judgement")


def test_entities_of_a_workbook_are_not_expanded(tmp_path):
    whole = seeds.workbook([["item", "system", "r1"], ["a", "s", 1]])
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE worksheet [<!ENTITY e0 "ha">{entities}]>'.encode()
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(whole)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            content = before.read(name)
            if name.endswith("sharedStrings.xml"):
                content = content.replace(b"<sst", doctype + b"<sst", 1).replace(b">a<", b">&e11;<", 1)
            after.writestr(name, content)
    path = tmp_path / "laughs.xlsx"
    path.write_bytes(out.getvalue())
    try:
        records = list(read(path, "judgement"))
    except BadInput:
        return
    assert max(len(record.item) for record in records) < 100


@pytest.mark.parametrize("rows", [2_000_000])
def test_a_parquet_bomb_is_refused(rows, tmp_path):
    path = tmp_path / "bomb.parquet"
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["overall"])
    table = pa.table(
        {name: text for name in ("item", "system", "rater", "criterion")} | {"value": pa.array([1.0] * rows)}
    )
    pq.write_table(table, path, compression="zstd")
    assert path.stat().st_size < 100_000
    assert "packed bytes that unpack to" in refusal(path, "judgement")


def test_a_parquet_page_that_unpacks_to_too_much_is_refused_by_its_directory(tmp_path):
    path = tmp_path / "page.parquet"
    pq.write_table(pa.table({"id": [" " * 2**24]}), path, compression="zstd", use_dictionary=False)
    assert path.stat().st_size < 50_000
    assert "packed bytes that unpack to" in refusal(path)


def test_a_large_value_of_a_parquet_dictionary_is_not_decoded_for_many_rows_before_it_is_counted(
    tmp_path, monkeypatch
):
    path = tmp_path / "value.parquet"
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 1024, pa.int32()), [" " * 100_000])
    pq.write_table(pa.table({"id": text, "response": text}), path, compression="zstd")
    assert path.stat().st_size < 2000
    sizes, add = [], sources.DecodedBatches.add
    monkeypatch.setattr(
        sources.DecodedBatches, "add", lambda self, batch: sizes.append(batch.nbytes) or add(self, batch)
    )
    assert "packed bytes that unpack to" in refusal(path)
    assert max(sizes) <= sources.FREE
    assert sum(sizes) <= 2 * sources.FREE


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "a: &a [x, x]\nb: &b [*a, *a]\n"
            + "".join(f"c{n}: &c{n} [*{'b' if n == 0 else f'c{n - 1}'}, *b, *a]\n" for n in range(3)),
            None,
        ),
        (
            "a0: &a0 [x]\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)),
            "values, with aliases",
        ),
        ("data: &d [*d]\n", "nested more than 50 deep"),
        ("data: " + "[" * 300 + "]" * 300 + "\n", "nested more than 50 deep"),
    ],
    ids=["a few aliases", "billions of values", "itself", "deep"],
)
def test_aliases_of_a_study_that_stand_for_billions_of_values_are_refused(text, found, tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the kind is what is checked
        load_study(path)
    assert type(caught.value).__name__ == ("BadStudy" if found is None else "BadInput")
    assert found is None or found in str(caught.value)


BILLIONS = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))


@pytest.mark.parametrize(
    "reader", [lambda path: load_roster(str(path)), read_aliases], ids=["roster", "aliases"]
)
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BILLIONS, "values, with aliases"),
        ("data: &d [*d]\n", "nested more than 50 deep"),
        ("data: " + "[" * 5000 + "]" * 5000 + "\n", ""),
    ],
    ids=["billions of values", "itself", "deep"],
)
def test_so_are_those_of_rosters_and_of_words_for_values(reader, text, found, tmp_path):
    path = tmp_path / "file.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        reader(path)
    assert found in str(caught.value)


def test_deep_json_of_words_for_values_is_refused(tmp_path):
    path = tmp_path / "file.json"
    path.write_text("[" * 100_000)
    with pytest.raises(BadInput, match=r"file\.json"):
        read_aliases(path)


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ({"role": "user", "content": "x"}, None),
        (None, pa.list_(pa.null())),
        (1, pa.list_(pa.int8())),
        ([], pa.list_(pa.list_(pa.null()))),
    ],
    ids=["turns", "nulls", "numbers", "lists"],
)
@pytest.mark.parametrize("room", [2**20, 2**28], ids=["little", "usual"])
def test_a_row_of_parquet_with_a_list_of_millions_is_refused_before_python_holds_it(
    inside, kind, room, tmp_path, monkeypatch
):
    monkeypatch.setattr(sources, "FREE", room)
    row = {"id": ["a"], "system": ["s"], "response": ["r"], "context": pa.array([[inside] * 1_500_000], kind)}
    pq.write_table(pa.table(row), tmp_path / "list.parquet", compression="zstd")
    assert (tmp_path / "list.parquet").stat().st_size < 20_000
    began = time.process_time()
    told = refusal(tmp_path / "list.parquet")
    assert "a row of more than 8 MiB" in told or "unpack to" in told
    assert time.process_time() - began < 5


def npy(header):
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(header)) + header + b"\n"


@pytest.mark.parametrize(
    "raw",
    [
        npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 300)}"),
        npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 300)}"),
        npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 3)}"),
        npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1, 3)}"),
        npy(b"{" + b" " * 10_000_000 + b"}"),
        npy(b"(" * 9000),
        npy(b"__import__('os').abort()"),
        b"PK\x03\x04" + bytes(100),
        b"",
    ],
    ids=["huge", "negative", "overflow", "objects", "long", "deep", "code", "archive", "empty"],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # numpy leaves archives open
def test_a_matrix_whose_header_promises_anything_is_refused(raw, tmp_path):
    (tmp_path / "v.npy").write_bytes(raw)
    (tmp_path / "v.vocab.txt").write_text("a\n")
    with pytest.raises(BadInput, match=r"v\.npy"):
        VectorSource(str(tmp_path / "v.npy")).load()


@pytest.mark.parametrize(
    ("pattern", "text", "left"),
    [
        (placeholders._MARKS, " " * 200_000 + "x , y,  z .", " " * 200_000 + "x<,>y<,>z<.>"),
        (placeholders._FINAL, " " * 200_000 + "x  . ", " " * 200_000 + "x<>"),
        (spellings._JOINED, " " * 200_000 + "x , y and z /w", " " * 200_000 + "x<>y<>z<>w"),
        (whatsapp._EDITED, " " * 200_000 + "x \u200e<edited>", " " * 200_000 + "x<>"),
        (words._START, "x" * 200_000 + ". y", "<>" + "x" * 199_959 + "<>"),
    ],
    ids=["marks", "final", "joined", "edited", "start"],
)
def test_a_text_of_blanks_or_one_long_word_is_searched_at_once(pattern, text, left):
    began = time.process_time()
    found = pattern.sub(lambda match: f"<{match[1] if match.re is placeholders._MARKS else ''}>", text)
    assert time.process_time() - began < 5
    assert found == left


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/full"])
def test_a_study_without_an_end_is_refused(device):
    with pytest.raises(BadInput, match="found more than 8 MiB"):
        load_study(device)


@pytest.mark.parametrize(
    "command", [("score", "-m", "length"), ("data", "validate"), ("run", "-o", "out")], ids=" ".join
)
def test_a_file_that_cannot_be_read_is_explained(dialeval, command):
    """Memory that is not there, as a place on a disk that is broken."""
    verb = 2 if command[0] == "data" else 1
    ended = dialeval(*command[:verb], "/proc/self/mem", *command[verb:])
    assert ended.code == 1
    assert "Input/output error" in ended.err
