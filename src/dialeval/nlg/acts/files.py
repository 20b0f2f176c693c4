"""Files of acts: readers of RNNLG, DSTC2-NLG, E2E, Alex, Frames and our own JSON Lines, and pools of references.

Which sentences of a file are references of an act changes every score.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.data.codec.bad import BadLine, OnBad, Where, refuse
from dialeval.data.codec.fields import missing, optional_text
from dialeval.data.codec.jsonl import array_rows, rows_of
from dialeval.data.codec.parts import item_named, references_of
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, check, file_of, lines, opened, shown
from dialeval.data.codec.tables import read_cells
from dialeval.errors import BadInput, UnknownName
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.acts.placeholders import delexicalise, lexicalise
from dialeval.nlg.acts.types import Meaning


@dataclass(frozen=True, slots=True)
class ActItem:
    """Act to be put into words, sentences of people for it, and that of a system if there is one."""

    item: str
    meaning: Meaning
    references: tuple[str, ...] = ()
    system: str | None = None
    response: str | None = None
    baseline: str | None = None
    """RNNLG's third column: the sentence of its handcrafted generator, not a reference."""
    written: str = ""
    """The act as the file writes it."""
    line: int | None = field(default=None, compare=False)
    """Line of the file, if each item has one."""


Reader = Callable[[Source, OnBad], Iterator[ActItem]]
SPLITS: Final = ("train", "valid", "test")


def read_rnnlg(source: Source, on_bad: OnBad = refuse) -> Iterator[ActItem]:
    """The rows of one RNNLG file: comment lines, then a JSON list of [act, sentence, handcrafted baseline]."""
    with opened(source) as handle:
        if handle.peek(len(BOM_UTF8)).startswith(BOM_UTF8):
            handle.read(len(BOM_UTF8))
        skipped = 0
        while handle.peek(1)[:1] == b"#":
            handle.readline()
            skipped += 1
        if handle.peek(64).lstrip()[:1] != b"[":
            found = f"no JSON list after {skipped} comment lines"
            todo = "Give an RNNLG file as it was published."
            raise BadInput(shown(source), found, "[[act, sentence, baseline], ...]", todo, line=skipped + 1)
        for row in array_rows(handle, shown(source)):
            where = Where(row.where.path, (row.where.line or 0) + skipped)
            try:
                yield _rnnlg_row(row, where, str(source))
            except BadInput as error:
                error.found += f" in element {row.number:,} of the list"
                on_bad(BadLine(error, row.raw))


def _rnnlg_row(row: Row, where: Where, source: str) -> ActItem:
    cells = row.fields
    if not isinstance(cells, list) or len(cells) < 2 or not all(isinstance(cell, str) for cell in cells):
        todo = "Write each row as a list of texts."
        raise BadInput(where.path, str(cells)[:80], "[act, sentence, baseline]", todo, where.line)
    baseline = cells[2] if len(cells) > 2 else None
    item = f"{Path(source).stem}-{row.number}"
    return ActItem(item, parse_act(cells[0], where), (cells[1],), baseline=baseline, written=cells[0])


def read_dstc2(source: Source, on_bad: OnBad = refuse) -> Iterator[ActItem]:
    """The blocks of one DSTC2-NLG file: acts, the same without values, a sentence, a blank line."""
    block: list[tuple[int, str]] = []
    number = 0

    def finished() -> Iterator[ActItem]:
        where = Where(shown(source), block[0][0])
        try:
            if len(block) != 3:
                todo = "Part blocks by one blank line."
                raise BadInput(
                    where.path,
                    f"a block of {len(block)} lines",
                    "acts, acts without values, sentence",
                    todo,
                    where.line,
                )
            acts = block[0][1]
            item = f"{Path(source).stem.removesuffix('_data')}-{number}"
            yield ActItem(item, parse_act(acts, where), (block[2][1],), written=acts)
        except BadInput as error:
            on_bad(BadLine(error, "\n".join(text for _, text in block)))

    for line, text in lines(source, on_bad):
        if text.strip():
            block.append((line, text.strip()))
        elif block:
            number += 1
            yield from finished()
            block.clear()
    if block:
        number += 1
        yield from finished()


def read_e2e(source: Source, on_bad: OnBad = refuse) -> Iterator[ActItem]:
    """The rows of an E2E table: ``mr`` and ``ref`` (a reference), or ``MR`` and ``output`` (a system's sentence).

    Rows of references with one meaning representation are one item; a system's rows are an item each.
    """
    pooled: dict[str, list[str]] = {}
    meanings: dict[str, Meaning] = {}
    for row in read_cells(source, on_bad):
        cells = {name.strip().lower(): _unquoted(cell.strip()) for name, cell in row.cells.items()}
        try:
            if "mr" not in cells:
                raise missing(row.cells, "mr", row.where, "", "a column of meaning representations")
            meaning = meanings.get(cells["mr"]) or parse_act(cells["mr"], row.where, "mr")
        except BadInput as error:
            on_bad(BadLine(error, row.text))
            continue
        meanings[cells["mr"]] = meaning
        if "output" in cells:
            system = Path(source).stem
            yield ActItem(f"mr-{row.number}", meaning, (), system, cells["output"], written=cells["mr"])
        else:
            texts = pooled.setdefault(cells["mr"], [])
            texts.extend([cells["ref"]] if cells.get("ref") else [])
    for number, (written, texts) in enumerate(pooled.items(), start=1):
        yield ActItem(f"mr-{number}", meanings[written], tuple(texts), written=written)


def _unquoted(cell: str) -> str:
    """A cell without the single quotes in which some systems of the challenge put all of theirs."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "'" else cell


def read_alex(source: Source, on_bad: OnBad = refuse) -> Iterator[ActItem]:
    """The items of Alex's dataset.json, with values filled in: the act, and three responses of people."""
    with opened(source) as handle:
        for row in array_rows(handle, shown(source)):
            fields = row.fields
            try:
                if not isinstance(fields, dict) or "response_da_l" not in fields:
                    todo = "Give Alex's dataset.json as it was published."
                    raise BadInput(row.where.path, str(fields)[:80], "response_da_l", todo, row.where.line)
                written = str(fields["response_da_l"])
                references = tuple(str(text) for text in fields.get("response_nl_l", ()))
                yield ActItem(
                    f"alex-{row.number}",
                    parse_act(written, row.where, "response_da_l"),
                    references,
                    written=written,
                )
            except BadInput as error:
                error.found += f" in element {row.number:,} of the list"
                on_bad(BadLine(error, row.raw))


def read_frames(source: Source, on_bad: OnBad = refuse) -> Iterator[ActItem]:
    """The wizards' turns of Frames' frames.json (El Asri et al., 2017), each with its acts and its sentence.

    Acts are those without references to frames, or where a turn has none of these, all of them without the
    references. The value -1 is dontcare. Users' turns, and turns without an act, are left out.
    """
    with opened(source) as handle:
        for row in array_rows(handle, shown(source)):
            try:
                dialogue = row.fields
                if not isinstance(dialogue, dict) or not isinstance(dialogue.get("turns"), list):
                    todo = "Give Frames' frames.json as it was published."
                    raise BadInput(
                        row.where.path, str(dialogue)[:80], "a list of turns", todo, row.where.line
                    )
                yield from _frames_turns(str(dialogue.get("id", row.number)), dialogue["turns"], row.where)
            except BadInput as error:
                error.found += f" in element {row.number:,} of the list"
                on_bad(BadLine(error, row.raw))


def _frames_turns(dialogue: str, turns: Sequence[object], where: Where) -> Iterator[ActItem]:
    for number, turn in enumerate(turns, start=1):
        if not isinstance(turn, Mapping) or turn.get("author") != "wizard":
            continue
        labels = turn.get("labels")
        labels = labels if isinstance(labels, Mapping) else {}
        named = labels.get("acts_without_refs") or labels.get("acts") or ()
        acts = [
            {"act": act.get("name"), "slots": _frames_slots(act)} for act in named if isinstance(act, Mapping)
        ]
        if acts:
            meaning = parse_act(acts, where, f"turns[{number - 1}].labels")
            yield ActItem(f"{dialogue}/{number}", meaning, (str(turn.get("text", "")),))


def _frames_slots(act: Mapping[str, object]) -> list[list[object]]:
    """The slots of an act of Frames; those whose value is a list refer to frames, and say nothing."""
    args = act.get("args")
    pairs = (
        [(arg.get("key"), arg.get("val")) for arg in args or () if isinstance(arg, Mapping)]
        if isinstance(args, list)
        else []
    )
    return [
        [key, "dontcare" if str(value) == "-1" else value]
        for key, value in pairs
        if isinstance(key, str) and not isinstance(value, list | dict)
    ]


def read_lines(source: Source, on_bad: OnBad = refuse) -> Iterator[ActItem]:
    """Our own lines (or a table): ``{"id", "system", "act", "response", "references"}``; only ``act`` is required."""
    for row in rows_of(source)(source, on_bad):
        try:
            yield _line(row)
        except BadInput as error:
            on_bad(BadLine(error, row.raw))


def _line(row: Row) -> ActItem:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        todo = 'Write {"id", "system", "act", "response", "references"} on each line.'
        raise BadInput(where.path, str(fields)[:80], "an object with an act", todo, where.line)
    if "act" not in fields:
        raise missing(fields, "act", where, "", 'an act, such as "inform(name=\'x\')" or {"act", "slots"}')
    act = fields["act"]
    return ActItem(
        item_named(fields, where) if "id" in fields else str(row.number),
        parse_act(act, where),
        references_of(fields, where),
        optional_text(fields, "system", where, ""),
        optional_text(fields, "response", where, ""),
        written=act if isinstance(act, str) else "",
        line=where.line,
    )


class Form(NamedTuple):
    """A published way to keep acts in files."""

    read: Reader
    files: Mapping[str, tuple[str, ...]]
    """Names that a folder may give to the file of each split."""


FORMS: Final[Mapping[str, Form]] = {
    "rnnlg": Form(read_rnnlg, {split: (f"{split}.json",) for split in SPLITS}),
    "dstc2": Form(read_dstc2, {split: (f"{split}_data.txt", f"{split}.txt") for split in SPLITS}),
    "e2e": Form(
        read_e2e,
        {
            "train": ("trainset.csv", "train.csv"),
            "valid": ("devset.csv", "valid.csv", "dev.csv"),
            "test": ("testset_w_refs.csv", "test.csv"),
        },
    ),
    "alex": Form(read_alex, {"train": ("dataset.json",)}),
    "frames": Form(read_frames, {"train": ("frames.json",)}),
    "lines": Form(read_lines, {split: (f"{split}.jsonl",) for split in SPLITS}),
}
"""Every form of act files, by the word before a path: ``rnnlg:FOLDER``."""


def split_source(source: Source) -> tuple[Form, Source]:
    """The form and the path of ``FORM:PATH``; a path alone is of our own lines."""
    name, mark, path = str(source).partition(":")
    if mark and name in FORMS:
        return FORMS[name], path
    if mark and name.isalnum() and len(name) > 1 and not Path(str(source)).exists():
        raise UnknownName("form of act files", name, FORMS, todo=f"Give one of {', '.join(FORMS)}.")
    return FORMS["lines"], source


def read_acts(source: Source, on_bad: OnBad = refuse) -> Iterator[ActItem]:
    """The items of a file of acts, ``FORM:FILE``; of a folder, those of all its splits."""
    form, path = split_source(source)
    if str(path) != "-" and file_of(path).is_dir():
        for items in read_splits(source, on_bad).values():
            yield from items
        return
    yield from form.read(path, on_bad)


def read_splits(source: Source, on_bad: OnBad = refuse) -> dict[str, list[ActItem]]:
    """The items of each split (train, valid, test) that a folder of acts has; at least one must be there."""
    form, path = split_source(source)
    check(path, folder=True)
    folder = Path(path)
    splits: dict[str, list[ActItem]] = {}
    for split, names in form.files.items():
        file = next((folder / name for name in names if (folder / name).is_file()), None)
        if file is not None:
            splits[split] = list(form.read(file, on_bad))
    if not splits:
        expected = ", ".join(names[0] for names in form.files.values())
        held = ", ".join(sorted(entry.name for entry in folder.iterdir())[:8]) or "no files"
        raise BadInput(str(folder), held, expected, "Name the folder that holds these files.")
    return splits


Pool: TypeAlias = Literal["none", "act", "slots"]
POOLS: Final[tuple[Pool, ...]] = ("none", "act", "slots")


def pooled(items: Sequence[ActItem], pool: Pool) -> list[tuple[str, ...]]:
    """The references of each item, each text once, in the order of the file.

    ``none``: its own. ``act``: those of all items with an identical act (its slots in any order). ``slots``: as RNNLG,
    those of all items whose act has the same slots and classes of values (special values as they are, all others
    alike), with this item's values filled in; a sentence that does not hold all values of its act is left out unless
    it is the item's own.
    """
    if pool == "none":
        return [_unique(item.references) for item in items]
    if pool == "act":
        return _pooled_by_act(items)
    groups: dict[object, list[str]] = {}
    for item in items:
        texts = groups.setdefault(_classes(item.meaning), [])
        for reference in item.references:
            plain = delexicalise(item.meaning, reference, orders=True)
            if not plain.absent:
                texts.append(plain.text)
    unique = {key: _unique(texts) for key, texts in groups.items()}
    return [
        _unique(
            [*item.references, *(lexicalise(text, item.meaning) for text in unique[_classes(item.meaning)])]
        )
        for item in items
    ]


def _pooled_by_act(items: Sequence[ActItem]) -> list[tuple[str, ...]]:
    groups: dict[object, list[str]] = {}
    for item in items:
        groups.setdefault(act_key(item.meaning), []).extend(item.references)
    unique = {key: _unique(texts) for key, texts in groups.items()}
    return [unique[act_key(item.meaning)] for item in items]


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def act_key(meaning: Meaning) -> object:
    """Key that identical acts share: the acts in order, each with its slots and values in any order."""
    return tuple(
        (act.act, tuple(sorted((slot.name, slot.value or "") for slot in act.slots))) for act in meaning
    )


def _classes(meaning: Meaning) -> object:
    """The acts, and each slot with its special value, or with nothing if the value is of another kind."""
    return tuple(
        (
            act.act,
            tuple(
                sorted(
                    (slot.name, slot.special or ("?" if slot.value is None else "_")) for slot in act.slots
                )
            ),
        )
        for act in meaning
    )
