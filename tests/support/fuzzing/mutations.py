"""Mutations of files, by seed: bytes, lines, JSON values and tables, as programs, people and broken disks make them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[bytes, Random], bytes]

AWKWARD_BYTES = (
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\r",
    b"\r\n",
    b"\n",
    b"\n\n",
    b'"',
    b"'",
    b"\\",
    b",",
    b";",
    b"\t",
    b"[",
    b"{",
    b"}",
    b"]",
    b":",
    b"\xed\xa0\x80",  # a surrogate, which UTF-8 does not allow
    b"\xc0\x80",  # an overlong zero
    "\u2028".encode(),
    "\u202e".encode(),
    b"\x1a",
    b"\x1b[31m",
    b"NaN",
    b"-1",
    b"1e999",
    b"9" * 400,
    b"null",
    b"*a",
    b"&a ",
    b"!!python/object:os.system ",
)

AWKWARD_VALUES: tuple[object, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2**63,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    " ",
    "\x00",
    "\ud800",
    "nan",
    "1e999",
    "../../etc/passwd",
    "\u2028\u202e",
    "x" * 3000,
    [],
    {},
    [[]],
    [None],
    {"": None},
    [[[[[[]]]]]],
    ["", 0, None, {}],
)


def flip_bits(raw: bytes, chance: Random) -> bytes:
    """One to eight bits turned."""
    changed = bytearray(raw)
    for _ in range(chance.randint(1, 8)):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(raw: bytes, chance: Random) -> bytes:
    """Only the beginning, only the end, or without a piece in the middle."""
    start, end = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    return chance.choice([raw[:start], raw[end:], raw[:start] + raw[end:]])


def insert(raw: bytes, chance: Random) -> bytes:
    """With awkward or random bytes somewhere."""
    place = chance.randrange(len(raw) + 1)
    piece = chance.choice(AWKWARD_BYTES) if chance.random() < 0.8 else chance.randbytes(chance.randint(1, 40))
    return raw[:place] + piece * chance.choice([1, 1, 1, 2, 30]) + raw[place:]


def overwrite(raw: bytes, chance: Random) -> bytes:
    """With a stretch replaced by zeros, by random bytes or by another stretch of the same file."""
    if not raw:
        return raw
    place, size = chance.randrange(len(raw)), chance.randint(1, 64)
    other = chance.randrange(len(raw))
    piece = chance.choice([bytes(size), chance.randbytes(size), raw[other : other + size]])
    return raw[:place] + piece + raw[place + len(piece) :]


def recode(raw: bytes, chance: Random) -> bytes:
    """In another encoding, with other line ends, or behind a byte-order mark."""
    text = raw.decode("utf-8", "replace")
    return chance.choice(
        [
            b"\xef\xbb\xbf" + raw,
            text.encode("utf-16", "replace"),
            text.encode("utf-16-le", "replace"),
            text.encode("utf-32", "replace"),
            text.encode("cp1252", "replace"),
            text.encode("utf-7", "replace"),
            raw.replace(b"\n", b"\r\n"),
            raw.replace(b"\n", b"\r"),
            raw.replace(b"\n", b"\r\n\r\n"),
            raw.rstrip(b"\n"),
        ]
    )


def shuffle_lines(raw: bytes, chance: Random) -> bytes:
    """With lines repeated, dropped, swapped or joined."""
    lines = raw.splitlines(keepends=True)
    if not lines:
        return raw
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    act = chance.randrange(4)
    if act == 0:
        lines.insert(other, lines[place])
    elif act == 1:
        del lines[place]
    elif act == 2:
        lines[place], lines[other] = lines[other], lines[place]
    else:
        lines[place] = lines[place].rstrip(b"\r\n")
    return b"".join(lines)


def swap_json(raw: bytes, chance: Random) -> bytes:
    """With a value of a JSON document or line swapped for another type, renamed, dropped, repeated or nested."""
    lines = raw.split(b"\n")
    place = chance.randrange(len(lines))
    for text, whole in ((lines[place], False), (raw, True)):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        written = json.dumps(_swapped(value, chance), ensure_ascii=chance.random() < 0.5)
        changed = _deepened(written).encode("utf-8", "surrogatepass")
        if whole:
            return changed
        return b"\n".join([*lines[:place], changed, *lines[place + 1 :]])
    return insert(raw, chance)


def _swapped(value: object, chance: Random) -> object:
    """The value with one of its parts changed."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(list(value))
        act = chance.randrange(8)
        if act == 0:
            return {name: part for name, part in value.items() if name != key}
        if act == 1:
            renamed = chance.choice([key.upper(), key + "s", "", "text", f"{key}\x00"])
            return {renamed if name == key else name: part for name, part in value.items()}
        return {**value, key: _swapped(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        act = chance.randrange(6)
        if act == 0:
            return value[:place] + value[place + 1 :]
        if act == 1:
            return [*value, value[place]]
        return [*value[:place], _swapped(value[place], chance), *value[place + 1 :]]
    act = chance.randrange(6)
    if act == 0:
        return f"<nested {chance.choice([1, 5, 60, 400, 990, 20_000])}>"
    if act == 1:
        return str(value)
    return chance.choice(AWKWARD_VALUES)


_NESTED = re.compile(r"[\"']?<nested (\d+)>[\"']?")


def _deepened(text: str) -> str:
    """The text with brackets, in JSON or YAML, where a deeply nested value is to stand: no writer would write it."""
    return _NESTED.sub(lambda match: '[{"a":' * int(match[1]) + "1" + "}]" * int(match[1]), text)


def redialect(raw: bytes, chance: Random) -> bytes:
    """A table written in another dialect, its cells unchanged: the same rows must come out, or an error."""
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8"))))
    out = io.StringIO(newline="")
    ends = chance.choice(["\n", "\r\n"])
    writer = csv.writer(
        out,
        delimiter=chance.choice([",", ";", "\t", "|"]),
        quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
        lineterminator=ends,
    )
    writer.writerows(rows)
    text = out.getvalue()
    text = text + ends * chance.choice([0, 0, 1, 3])
    return text.encode(chance.choice(["utf-8", "utf-8-sig", "utf-16"]))


def spoil_cells(raw: bytes, chance: Random) -> bytes:
    """A table with a cell exchanged, added or dropped, an empty row, or columns in another order."""
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8"))))
    row = chance.choice(rows)
    place = chance.randrange(len(row))
    act = chance.randrange(6)
    if act == 0:
        row.insert(place, "")
    elif act == 1:
        del row[place]
    elif act == 2:
        order = chance.sample(range(len(row)), len(row))
        rows = [[each[column] for column in order] if len(each) == len(order) else each for each in rows]
    else:
        value = chance.choice([*AWKWARD_VALUES, '[{"role"', '{"text": 1}', '{"missing": []}', "[1]", '"'])
        row[place] = value if isinstance(value, str) else json.dumps(value)
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


BYTES: Sequence[Mutation] = (flip_bits, cut, insert, overwrite)
TEXT: Sequence[Mutation] = (*BYTES, recode, shuffle_lines)
JSON: Sequence[Mutation] = (*TEXT, swap_json, swap_json, swap_json)
TABLE: Sequence[Mutation] = (*TEXT, redialect, spoil_cells, spoil_cells)


def zipped(mutations: Sequence[Mutation]) -> Sequence[Mutation]:
    """Mutations of a gzipped file: of its bytes, and of what is inside, packed again."""

    def inside(raw: bytes, chance: Random) -> bytes:
        return gzip.compress(chance.choice(mutations)(gzip.decompress(raw), chance), mtime=0)

    return (*BYTES, inside, inside)


def mutated(raw: bytes, mutations: Sequence[Mutation], chance: Random) -> bytes:
    """The file after one to three mutations; the later ones know only bytes."""
    changed = chance.choice(mutations)(raw, chance)
    for _ in range(chance.choice([0, 0, 0, 1, 2])):
        changed = chance.choice(BYTES)(changed, chance)
    return changed


def inside_zip(raw: bytes, chance: Random) -> bytes:
    """A zip archive with one of its files mutated, and packed as it should be."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        spoilt = chance.choice(before.namelist())
        for name in before.namelist():
            content = before.read(name)
            after.writestr(name, chance.choice(TEXT)(content, chance) if name == spoilt else content)
    return out.getvalue()


def swap_yaml(raw: bytes, chance: Random) -> bytes:
    """A YAML file with one of its values swapped, as a hand that edits it might."""
    import yaml

    written = yaml.safe_dump(_swapped(yaml.safe_load(raw), chance), allow_unicode=True, sort_keys=False)
    return _deepened(written).encode("utf-8", "surrogatepass")


def swap_header(raw: bytes, chance: Random) -> bytes:
    """A safetensors file whose header, and the JSON in its metadata, has another value, and the right length."""
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    about = header.get("__metadata__", {})
    if about and chance.random() < 0.7:
        key = chance.choice(list(about))
        try:
            about[key] = json.dumps(_swapped(json.loads(about[key]), chance))
        except ValueError:
            about[key] = chance.choice(["", "null", "[]", "\x00"])
    else:
        header = _swapped(header, chance)
    written = _deepened(json.dumps(header)).encode()
    return len(written).to_bytes(8, "little") + written + raw[8 + size :]
