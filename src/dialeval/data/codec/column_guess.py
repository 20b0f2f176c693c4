"""Guesses of what the columns of somebody's sheet hold, by their names and first cells; cautious, and always shown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from dialeval.data.codec.column_names import SYSTEM, Columns, is_response, unknown_record
from dialeval.data.codec.dialects import number_in
from dialeval.data.codec.tables import WORDS
from dialeval.data.types import Kind

_IDS: Final = (
    "id item itemid idx index uid key rowid questionid qid exampleid sampleid caseid testid testcaseid recordid no nr"
    " number row"
)
_CONTEXTS: Final = (
    "context question prompt input query history userinput usermessage userquestion userquery userprompt request"
    " instruction customermessage customerquestion dialoguehistory chathistory conversationhistory"
)
_REFERENCES: Final = (
    "references reference refs ref gold goldanswer goldresponse goldstandard golden goldenanswer target targets"
    " groundtruth expected expectedanswer expectedoutput expectedresponse ideal idealanswer idealresponse correctanswer"
    " referenceanswer referenceresponse"
)
_RESPONSES: Final = (
    "response prediction predicted pred output completion hyp hypothesis reply modeloutput modelresponse modelanswer"
    " botresponse botanswer generated generation generatedtext generatedanswer systemresponse systemoutput"
)
_SYSTEMS: Final = "system model modelname systemid systemname bot botname agent"
_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "id": frozenset(_IDS.split()),
    "context": frozenset(_CONTEXTS.split()),
    "references": frozenset(_REFERENCES.split()),
    "response": frozenset(_RESPONSES.split()),
    "system": frozenset(_SYSTEMS.split()),
}
"""Names that columns of each field have in the sheets of others, without case, spaces and signs."""
_DESCRIBING: Final = (
    "category topic intent domain language lang locale date time timestamp createdat updatedat note notes comment"
    " comments remark remarks tag tags split difficulty type url link userid customerid sessionid conversationid"
    " latency tokens cost rating score priority region country channel status version author annotator rater reviewer"
    " product title name email label labels metadata persona rationale explanation reasoning justification evidence"
)
_ASIDE: Final = frozenset(_DESCRIBING.split())
"""Names of columns that describe an item, and hold no responses."""
_SPEAKING: Final = re.compile(
    r"bot|model|system|response|answer|reply|output|gpt|llama|claude|gemini|mistral|qwen|baseline|candidate|assistant"
    r"|agent|prediction|generated|(^|[^a-z])(old|new|prod|v\d+)([^a-z]|$)",
    re.IGNORECASE,
)
"""Words in names of systems."""
_OTHER_KINDS: Final = frozenset({"messages", "candidates", "responses", "criterion", "rater", "act"})
"""Fields of ours that show a record to be no row of a sheet."""
_WORDS: Final = 2.0
"""A column of responses has this many words in a cell, on average, or a name that says what it is."""


class Guess(NamedTuple):
    """Fields of the columns of a file."""

    columns: Columns
    note: str
    """The guess in words; empty if nothing was guessed."""


def guess_columns(
    first: Mapping[str, object],
    sample: Sequence[Mapping[str, object]],
    *,
    kind: Kind | None,
    given: Columns | None,
    systems_needed: bool,
    path: str,
    line: int | None,
) -> Guess | None:
    """Columns that stand for fields of examples and prompts; None if the names are ours already.

    BadInput if the names leave open which columns hold what is needed. Columns of systems are looked for if there is
    no response and ``systems_needed``.
    """
    names = [name for name in first if isinstance(name, str)]
    if kind not in (None, "example", "prompt") or (given is None and _OTHER_KINDS & set(names)):
        return None if given is None else Guess(given, "")
    sheet = _Sheet(names, sample, given)
    for field in ("id", "context", "references", "response", "system"):
        sheet.look_for(field)
    if systems_needed and kind != "prompt" and not sheet.has_response:
        sheet.look_for_systems(sure="context" in names and kind is None)
    unclear = sheet.unclear and systems_needed and kind != "prompt" and not sheet.has_response
    if (unclear and not (kind is None and "context" in names)) or sheet.lacks(kind):
        if given is not None:
            given.check(names, path, line)
        raise unknown_record(path, names, line, likely=sheet.suggestion())
    return sheet.result(all_read=not systems_needed)


class _Sheet:
    """The columns of a file, and what is known of them so far."""

    def __init__(
        self, names: Sequence[str], sample: Sequence[Mapping[str, object]], given: Columns | None
    ) -> None:
        self._names, self._sample = names, sample
        self._own = frozenset(names)
        self._pairs = list(given.pairs) if given else []
        self._count = len(self._pairs)
        self._taken = {column for _, column in self._pairs}
        self.unclear: list[str] = []
        """Columns that may hold responses or something else."""

    @property
    def has_response(self) -> bool:
        """Whether a column of responses is known."""
        return any(map(is_response, [*self._fields(), *self._names]))

    def lacks(self, kind: Kind | None) -> bool:
        """Whether what such a record needs is still missing."""
        known = {*self._fields(), *self._names}
        if kind == "example":
            return not self.has_response
        return "context" not in known and not self.has_response

    def look_for(self, field: str) -> None:
        """Find the column of a field by its name."""
        if field in self._fields() or self._has_own(field) or (field == "response" and self.has_response):
            return
        if field == "system" and not (self.has_response and not self._systems()):
            return
        matches = [name for name in self._free() if self._is(field, name)]
        if field == "response" and not matches:
            matches = self._answer()
        if len(matches) == 1 or (field == "references" and _numbered(matches)):
            self._take(field, matches)
        elif field == "id" and matches:
            self._take(field, matches[:1])
        elif field in ("context", "references"):
            self.unclear += matches

    def look_for_systems(self, *, sure: bool) -> None:
        """Find a column for each system: those left over that hold texts; ``sure`` asks for names that say so."""
        known = {*self._fields(), *self._names}
        # A system that says nothing in the first rows is a system, too.
        likely = [name for name in self._free() if not self._is_no_system(name) and self._may_be_text(name)]
        doubtful = [
            name
            for name in likely
            if not _SPEAKING.search(name)
            and (sure or not self._words(name) >= _WORDS or _fold(name) == "answer")
        ]
        if "answer" in map(_fold, likely) and "references" not in known:
            doubtful = likely
        if self.unclear or doubtful or not known & {"context", "references"}:
            self.unclear += doubtful or likely
        else:
            for name in likely:
                self._take(f"{SYSTEM}{name.strip()}", [name])

    def suggestion(self) -> Columns:
        """The columns as they may be meant, for the user to correct."""
        pairs, left = list(self._pairs), [name for name in self._free() if self._is_text(name)]
        known = {*self._fields(), *self._names}
        if "context" not in known and len(left) > 1:
            pairs.append(("context", left.pop(0)))
        if "references" not in known and "answer" in map(_fold, left):
            answer = next(name for name in left if _fold(name) == "answer")
            left.remove(answer)
            pairs.append(("references", answer))
        golds = [name for name in left if self._is("references", name)]
        if "references" not in known and len(golds) > 1:
            pairs += [("references", name) for name in golds]
            left = [name for name in left if name not in golds]
        if not self.has_response:
            told = [name for name in left if not self._is_no_system(name)] or left
            pairs += (
                [("response", told[0])] if len(told) == 1 else [(f"{SYSTEM}{name}", name) for name in told]
            )
        return Columns(tuple(pairs) or (("response", self._names[0] if self._names else "COLUMN"),))

    def result(self, *, all_read: bool) -> Guess | None:
        """Return what is known now; None if every name is ours. With ``all_read``, other columns are no news."""
        if not self._pairs:
            return None
        columns = Columns(tuple(self._pairs))
        if len(self._pairs) == self._count:
            return Guess(columns, "")
        plain = [f"{field}={column}" for field, column in self._pairs if not field.startswith(SYSTEM)]
        told = [*plain, f"systems {', '.join(columns.systems)}"] if columns.systems else plain
        others = [] if all_read else [name for name in self._free() if name.strip()]
        aside = f"; not read: {', '.join(others)}" if others else ""
        return Guess(columns, f"read as: {', '.join(told)}{aside}")

    def _fields(self) -> list[str]:
        return [field for field, _ in self._pairs]

    def _systems(self) -> list[str]:
        return [field for field in [*self._fields(), *self._names] if field.startswith(SYSTEM)]

    def _free(self) -> list[str]:
        return [name for name in self._names if name not in self._taken and not self._has_own(name)]

    def _has_own(self, field: str) -> bool:
        """Whether a column has the field's own name, and no other field took it."""
        if field == "references":
            own = self._own - self._taken
            return any(name == "references" or re.fullmatch(r"reference(_\d+)?", name) for name in own)
        is_field = field in _NAMES or field.startswith((SYSTEM, "reference_")) or field == "reference"
        return is_field and field in self._own and field not in self._taken

    def _is(self, field: str, name: str) -> bool:
        folded = _fold(name)
        if field == "id" and not folded:
            return name == "#"
        base = folded.rstrip("0123456789") if field == "references" else folded
        return folded in _NAMES[field] or base in _NAMES[field]

    def _is_no_system(self, name: str) -> bool:
        """Whether the name says that the column holds something other than responses, taken or not."""
        return _fold(name) in _ASIDE or any(
            self._is(field, name) for field in ("id", "context", "references")
        )

    def _take(self, field: str, columns: Sequence[str]) -> None:
        self._pairs += [(field, column) for column in columns]
        self._taken |= set(columns)

    def _answer(self) -> list[str]:
        """The column ``answer`` as the response: only if the references have another, and nothing else is left."""
        left = [name for name in self._free() if _fold(name) not in _ASIDE and self._is_text(name)]
        known = "references" in self._fields() or self._has_own("references")
        return left if known and [_fold(name) for name in left] == ["answer"] else []

    def _cells(self, name: str) -> list[object]:
        cells = [row.get(name) for row in self._sample]
        return [
            cell
            for cell in cells
            if cell is not None and cell == cell and str(cell).strip() not in ("", *WORDS)
        ]

    def _is_text(self, name: str) -> bool:
        cells = self._cells(name)
        return (
            bool(name.strip() and cells)
            and all(isinstance(cell, str) for cell in cells)
            and not all(_is_number_or_date(str(cell)) for cell in cells)
        )

    def _may_be_text(self, name: str) -> bool:
        return bool(name.strip()) and (not self._cells(name) or self._is_text(name))

    def _words(self, name: str) -> float:
        """Words in a cell, on average; scripts without spaces have one in six letters."""
        cells = [str(cell) for cell in self._cells(name)]
        return (
            sum(max(len(cell.split()), len(cell) / 6) for cell in cells) / len(cells) if cells else math.nan
        )


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _numbered(names: Sequence[str]) -> bool:
    """Whether these are one name with numbers behind it."""
    return len(names) > 1 and len({_fold(name).rstrip("0123456789") for name in names}) == 1


def _is_number_or_date(cell: str) -> bool:
    if not math.isnan(number_in(cell, ";")) or cell.strip().lower() in ("true", "false"):
        return True
    try:
        datetime.fromisoformat(cell.strip())
    except ValueError:
        return cell.startswith(("http://", "https://")) and " " not in cell.strip()
    return True
