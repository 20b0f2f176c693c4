"""Dialogue acts: lines as Switchboard's are published, and a labeller of utterances that runs without torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.codec.bad import refuse
from dialeval.data.codec.sources import Source, check, lines
from dialeval.encoder.adapters import AdapterFile, find_adapter, load_adapter
from dialeval.errors import BadInput, ResourceUnavailable
from dialeval.stats import Estimate, proportion

ADAPTER: Final = "adapter.safetensors"
KIND: Final = "acts"
"""What an adapter's file says that it is."""


class Utterance(NamedTuple):
    """An utterance, its act, and what was said just before it."""

    text: str
    act: str
    before: str = ""
    """The utterance before, after ``me:`` or ``you:`` for its speaker; empty at the start of a conversation."""
    conversation: str = ""


def read_utterances(source: Source) -> Iterator[Utterance]:
    """Utterances of a file with lines ``conversation|speaker|text|act``, as Switchboard's are published."""
    check(source)
    last: tuple[str, str, str] = ("", "", "")
    for number, line in lines(source, refuse):
        fields = [field.strip() for field in line.split("|")]
        if fields == [""]:
            continue
        if len(fields) != 4:
            found, expected = f"{len(fields)} fields", "conversation|speaker|text|act"
            raise BadInput(str(source), found, expected, "Give Switchboard's lines.", number)
        conversation, speaker, text, act = fields
        if text:
            known = last[0] == conversation and last[2]
            before = said_before(last[2], same=last[1] == speaker) if known else ""
            yield Utterance(text, act, before, conversation)
            last = (conversation, speaker, text)


def said_before(text: str, *, same: bool) -> str:
    """An utterance as the labeller reads it before another one, by the same speaker or not."""
    return f"{'me' if same else 'you'}: {text}"


def segments_of(text: str, before: str) -> tuple[str, ...]:
    """What the labeller reads: the utterance, then what was said before it where that is known."""
    return (text, before) if before else (text,)


def accuracy_of(given: Sequence[str], utterances: Sequence[Utterance]) -> Estimate:
    """Return the share of these acts that are those of the utterances, with an exact 95 % interval."""
    right = sum(act == each.act for act, each in zip(given, utterances, strict=True))
    return proportion(right, len(given))


def commonest_act(utterances: Sequence[Utterance]) -> str:
    """The baseline: what most utterances are."""
    return Counter(each.act for each in utterances).most_common(1)[0][0]


@dataclass(frozen=True, slots=True)
class ActLabeller:
    """Gives utterances their dialogue acts."""

    file: AdapterFile

    def acts(self, texts: Sequence[str], before: Sequence[str] = ()) -> list[str]:
        """The most probable act of each text; ``before`` as `said_before` writes it, one per text or none."""
        adapted = load_adapter(self.file)
        contexts = before or [""] * len(texts)
        logits = adapted.logits([segments_of(*each) for each in zip(texts, contexts, strict=True)])
        return [adapted.about.outputs[place] for place in logits.argmax(axis=1)]


def read_labeller(folder: Path) -> ActLabeller:
    """The labeller in a folder that ``dialeval train acts`` wrote."""
    path = folder / ADAPTER
    if not path.is_file():
        raise ResourceUnavailable(
            f"{folder} lacks {ADAPTER}. Give a folder that 'dialeval train acts' wrote."
        )
    file = find_adapter(path)
    if file.about.kind != KIND:
        found, expected = f"an adapter for {file.about.kind!r}", "one that 'dialeval train acts' wrote"
        raise BadInput(str(path), found, expected, "Give another folder.")
    return ActLabeller(file)
