"""Lines of generated sentences: n-best lists that also hold the act, the references and the best sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from dialeval.data.codec.encode import canonical
from dialeval.data.types import Context, NBest, Response
from dialeval.nlg.acts.forms import print_act
from dialeval.nlg.acts.json_acts import print_json
from dialeval.nlg.acts.reading import ActItem
from dialeval.nlg.generating.ranking import Sentence
from dialeval.nlg.subjects import act_turn


def context_of(item: ActItem) -> Context:
    """The context in which a system is given an act, as readers of files make it of the field ``act``."""
    return (act_turn(item.written or print_act(item.meaning, "json")),)


def line(item: ActItem, system: str, sentences: Sequence[Sentence]) -> bytes:
    """An n-best line (docs/files.md) with the fields of 'dialeval nlg score' beside it.

    The context is empty, since readers add the act to it.
    """
    said = tuple(Response(sentence.text, sentence.logprob) for sentence in sentences)
    fields = json.loads(canonical(NBest(item.item, system, (), said)))
    fields["act"] = item.written or print_json(item.meaning)
    fields["response"] = sentences[0].text if sentences else ""
    if item.references:
        fields["references"] = list(item.references)
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def lines(items: Iterable[ActItem], system: str, written: Iterable[Sequence[Sentence]]) -> bytes:
    """The lines of all items, in order."""
    return b"".join(line(item, system, sentences) for item, sentences in zip(items, written, strict=True))
