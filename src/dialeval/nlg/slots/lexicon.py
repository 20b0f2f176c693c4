"""Lexicon of a corpus's slots: their values, the ways to say them, and the words that name them.

A JSON, YAML or TSV file of aliases adds other words for a slot's values.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import yaml

from dialeval.errors import BadInput, first_line
from dialeval.files.foreign import check_yaml_size, load_yaml
from dialeval.nlg.acts.types import Meaning, Slot, slots_of
from dialeval.nlg.slots.phrases import (
    CONCEPTS,
    CONDITIONS,
    FILLERS,
    IMPOSSIBLE,
    POSSIBLE,
    STATES,
    UNCONDITIONAL,
)
from dialeval.nlg.slots.spellings import content_words, general_phrases, keywords, spellings
from dialeval.nlg.slots.verbs import verbal_mentions
from dialeval.text.spelling import Tokens, Words, tokenise, word_of

Aliases: TypeAlias = Mapping[tuple[str, str], tuple[str, ...]]
"""Phrases for a slot and a value, both in lower case; the slot ``*`` is every slot."""

_SHAPE: Final = '{"area": {"centre": ["middle of town"]}}'
ANY_SLOT: Final = "*"


@lru_cache(maxsize=16)
def read_aliases(path: Path) -> tuple[Aliases, str]:
    """The aliases of a file: ``{slot: {value: [phrase, ...]}}`` in JSON or YAML, or lines of slot, value, phrase (TSV).

    The slot ``*`` stands for every slot. The value ``yes`` or ``no`` gives phrases that say so of a property.
    """
    from dialeval.files.digests import hash_file

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = "no such file" if not path.exists() else first_line(error)
        raise BadInput(str(path), found, "a file of aliases", "Check the path.") from None
    entries = (
        _table_aliases(text, path) if path.suffix.lower() in (".tsv", ".txt") else _tree_aliases(text, path)
    )
    table: dict[tuple[str, str], list[str]] = {}
    for slot, value, phrase in entries:
        table.setdefault((slot.strip().lower(), value.strip().lower()), []).append(phrase)
    return {key: tuple(phrases) for key, phrases in table.items()}, hash_file(path)


def _table_aliases(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(cell.strip() for cell in cells):
            todo = "Write the slot, its value and a phrase, parted by tabs."
            raise BadInput(str(path), f"{len(cells)} cells", "slot<tab>value<tab>phrase", todo, line=number)
        yield cells[0], cells[1], cells[2]


def _tree_aliases(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    try:
        tree = json.loads(text) if path.suffix.lower() == ".json" else load_yaml(str(path), text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(str(path), first_line(error), "JSON or YAML", f"Write it as {_SHAPE}.") from None
    if path.suffix.lower() != ".json":
        check_yaml_size(str(path), tree, "a file of aliases")
    for slot, values in _alias_mapping(tree, path, "").items():
        for value, phrases in _alias_mapping(values, path, str(slot)).items():
            listed = phrases if isinstance(phrases, list) else [phrases]
            for phrase in listed:
                if not isinstance(phrase, str) or not phrase.strip():
                    field = f"{slot}.{value}"
                    raise BadInput(
                        str(path), repr(phrase), "a phrase or a list of them", f"Write {_SHAPE}.", field=field
                    )
                # YAML reads a bare yes or no as a truth value.
                named = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
                yield str(slot), str(named), phrase


def _alias_mapping(value: object, path: Path, field: str) -> Mapping[object, object]:
    if isinstance(value, Mapping):
        return value
    raise BadInput(
        str(path), type(value).__name__, "an object", f"Write it as {_SHAPE}.", field=field or None
    )


HAS: Final = "\x00has"
LACKS: Final = "\x00lacks"
"""Senses of the mention of a property, before denials are looked at."""
GENERAL: Final = "\x00general "
"""Before a value that no act of the corpus has: a general word for values of such a slot, as cheap is for prices."""
_COMMON: Final = 3
"""So many texts whose act does not have a value must hold it before it counts as an everyday word."""
_TRIED: Final = 20
"""So many references must have a value to say before its absence from all of them shows that nobody says it."""
_LOOKED_AT: Final = 5_000
"""Number of texts that decide which values are everyday words."""


class Pair(NamedTuple):
    """A slot and one of its values, the value in the spelling of `tokenise`."""

    slot: str
    value: str


class Phrase(NamedTuple):
    """Words that say one or more slots' values."""

    words: Words
    length: int
    pairs: tuple[Pair, ...]


Text: TypeAlias = tuple[Meaning, str]


def pair_of(slot: Slot) -> Pair:
    """The slot with its value in one spelling."""
    return Pair(slot.name, " ".join(tokenise(slot.value or "").words))


def sense_of(slot: Slot) -> str | None:
    """The special value that a slot's value is or means: available is a yes of the property that the slot names.

    >>> sense_of(Slot("gift_wrapping", "available")), sense_of(Slot("status", "available"))
    ('yes', None)
    """
    if slot.special or slot.value is None:
        return slot.special
    value = slot.value.strip().lower()
    if value in POSSIBLE or value in CONDITIONS:
        sense = "yes"
    elif value in IMPOSSIBLE or value in UNCONDITIONAL:
        sense = "no"
    else:
        return None
    return sense if set(content_words(slot.name)) - STATES - FILLERS else None


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Slots of a corpus, and the words for them."""

    by_first: Mapping[str, tuple[Phrase, ...]]
    """Every known sequence of words, by its first word, the longest first."""
    joined: Mapping[str, tuple[Pair, ...]]
    """Long values and names of properties of one word, which a text may write as two: citycentre, dualsim."""
    properties: frozenset[str]
    """Slots whose values are yes and no."""
    keywords: Mapping[str, frozenset[str]]
    """Words that show which slot a value belongs to."""
    common: frozenset[Pair]
    """Values that are everyday words in these texts, so that their presence says nothing."""
    unsaid: frozenset[Pair]
    """Values that no reference says though many have them to say: names of categories, which cannot be checked."""
    digest: str
    """sha256 of all of the above, the slots and their values, whatever the order of the corpus."""


class Occurrence(NamedTuple):
    """Words of a sentence, from ``start`` up to ``end``, that say one or more slots' values."""

    start: int
    end: int
    pairs: tuple[Pair, ...]


def scan(lexicon: Lexicon, tokens: Tokens) -> list[Occurrence]:
    """Every known sequence of words in the sentence, overlapping ones too."""
    words, by_first, joined = tokens.words, lexicon.by_first, lexicon.joined
    occurrences: list[Occurrence] = []
    for start, word in enumerate(words):
        for known in by_first.get(word, ()):
            length = known.length
            if length == 1 or words[start : start + length] == known.words:
                occurrences.append(Occurrence(start, start + length, known.pairs))
        if joined and start + 1 < len(words) and (pairs := joined.get(word + words[start + 1])):
            occurrences.append(Occurrence(start, start + 2, pairs))
    return occurrences


def build_lexicon(
    meanings: Iterable[Meaning],
    texts: Sequence[Text] = (),
    aliases: Aliases | None = None,
    *,
    referenced: bool = False,
) -> Lexicon:
    """The lexicon of these acts; texts, each beside its act, show which values are everyday words."""
    slots = {slot for meaning in set(meanings) for slot in slots_of(meaning)}
    kept = _sample(texts)
    vocabulary = frozenset(word for _, text in kept for word in tokenise(text).words if word.isalpha())
    properties = frozenset(slot.name for slot in slots if sense_of(slot) in ("yes", "no"))
    table = _table(slots, properties, aliases or {}, vocabulary)
    by_first: dict[str, list[Phrase]] = {}
    for words, pairs in table.items():
        by_first.setdefault(words[0], []).append(Phrase(words, len(words), tuple(sorted(pairs))))
    names = sorted({slot.name for slot in slots})
    lexicon = Lexicon(
        {
            first: tuple(sorted(found, key=lambda known: (-known.length, known.words)))
            for first, found in by_first.items()
        },
        {
            words[0]: tuple(sorted(pairs))
            for words, pairs in table.items()
            if len(words) == 1 and _may_be_parted(words[0], pairs)
        },
        properties,
        {name: keywords(name, vocabulary) for name in names},
        frozenset(),
        frozenset(),
        "",
    )
    common, silent = _heard(lexicon, kept)
    unsaid = silent if referenced else frozenset[Pair]()
    whole = replace(lexicon, common=common, unsaid=unsaid)
    return replace(whole, digest=_digest(whole, slots, aliases or {}))


def _may_be_parted(word: str, pairs: Iterable[Pair]) -> bool:
    """Whether two words that make up this one say the same; of properties also a shorter one."""
    return len(word) > 7 or (len(word) > 4 and all(pair.value in (HAS, LACKS) for pair in pairs))


def _table(
    slots: Collection[Slot], properties: Collection[str], aliases: Aliases, vocabulary: frozenset[str]
) -> dict[Words, set[Pair]]:
    """Every word sequence that says something, and what it says."""
    table: dict[Words, set[Pair]] = {}
    for slot in slots:
        if slot.value is None or sense_of(slot):
            continue
        for words in spellings(slot.name, slot.value, aliases):
            table.setdefault(words, set()).add(pair_of(slot))
    known = frozenset(table)
    for name in {slot.name for slot in slots if slot.value is not None and not sense_of(slot)}:
        for value, phrase in general_phrases(name):
            words = tokenise(phrase).words
            if words not in known:
                table.setdefault(words, set()).add(Pair(name, GENERAL + value))
    for name in properties:
        for words, sense in _mentions(name, aliases, vocabulary):
            table.setdefault(words, set()).add(Pair(name, sense))
    return table


def _mentions(name: str, aliases: Aliases, vocabulary: frozenset[str]) -> Iterable[tuple[Words, str]]:
    """Word sequences that mention a property, and what they say of it."""
    own = content_words(name, vocabulary)
    concepts = [concept for concept in CONCEPTS if concept.names & {word_of(word) for word in own}]
    for concept in concepts:
        yield from ((tokenise(phrase).words, HAS) for phrase in concept.phrases)
        yield from ((tokenise(phrase).words, LACKS) for phrase in concept.opposites)
    if not concepts:
        yield own, HAS
        # The most telling word alone: of usb port the first, of serves alcohol the only one.
        yield own[:1], HAS
        yield from (((*own[:-1], f"{prefix}{own[-1]}"), LACKS) for prefix in ("un", "non"))  # unfurnished
    for words, denied in verbal_mentions(own[-1], alone=len(own) == 1 and not concepts):
        yield words, LACKS if denied else HAS
    for value, sense in (("yes", HAS), ("no", LACKS)):
        for slot in (name.lower(), ANY_SLOT):
            yield from ((tokenise(phrase).words, sense) for phrase in aliases.get((slot, value), ()))


def _sample(texts: Sequence[Text]) -> list[Text]:
    """At most this many texts, the same whatever their order."""
    unique = set(texts)
    if len(unique) <= _LOOKED_AT:
        return sorted(unique, key=lambda text: text[1])
    return sorted(
        unique, key=lambda text: hashlib.blake2b(text[1].encode("utf-8", "replace"), digest_size=8).digest()
    )[:_LOOKED_AT]


def _heard(lexicon: Lexicon, texts: Sequence[Text]) -> tuple[frozenset[Pair], frozenset[Pair]]:
    """Values in more texts whose act lacks them than has them; and values that no text says whose act has them."""
    within: Counter[Pair] = Counter()
    without: Counter[Pair] = Counter()
    wanted: Counter[Pair] = Counter()
    for meaning, text in texts:
        needed = {
            pair_of(slot) for slot in slots_of(meaning) if slot.value is not None and not sense_of(slot)
        }
        named = {slot.name for slot in slots_of(meaning)}
        wanted.update(needed)
        said = {pair for occurrence in scan(lexicon, tokenise(text)) for pair in occurrence.pairs}
        for pair in said:
            present = pair.slot in named if pair.value in (HAS, LACKS) else pair in needed
            (within if present else without)[pair] += 1
    common = frozenset(pair for pair, n in without.items() if n >= _COMMON and n > within[pair])
    return common, frozenset(pair for pair, n in wanted.items() if n >= _TRIED and not within[pair])


def _digest(lexicon: Lexicon, slots: Collection[Slot], aliases: Aliases) -> str:
    """Of the tables too, since the words of the texts decide where the names of slots are split."""
    known = sorted((slot.name, slot.value or "") for slot in slots)
    tables = (
        sorted(lexicon.by_first.items()),
        sorted(lexicon.joined.items()),
        sorted(lexicon.properties),
        sorted((name, sorted(words)) for name, words in lexicon.keywords.items()),
        sorted(lexicon.common),
        sorted(lexicon.unsaid),
    )
    return hashlib.sha256(
        repr((known, sorted(aliases.items()), tables)).encode("utf-8", "replace")
    ).hexdigest()
