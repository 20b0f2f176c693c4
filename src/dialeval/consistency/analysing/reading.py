"""Reader of labelled answers: our own lines, and the contexts of rgm-contradiction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dialeval.consistency.document import LabelledAnswer
from dialeval.consistency.pairs.published import RgmResponses
from dialeval.data import refuse
from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.sources import Source, check, file_of
from dialeval.errors import BadInput, Unsuitable

_OURS = frozenset({"id", "system", "earlier", "between", "response", "label", "votes", "raters"})
_RGM = frozenset({"utterances", "annotation_target_pair", "rgm_name", "contradictory_label_count"})


def read_labelled(sources: Iterable[Source], *, on_bad: OnBad = refuse) -> list[LabelledAnswer]:
    """The labelled answers of all files; Unsuitable where there are none."""
    found = [answer for source in sources for answer in _of_file(source, on_bad)]
    if not found:
        raise Unsuitable("No labelled answer to analyse. Give what 'dialeval consistency label' wrote.")
    return found


def _of_file(source: Source, on_bad: OnBad) -> Iterator[LabelledAnswer]:
    check(source)
    responses = RgmResponses(file_of(source))
    for row in read_rows(source, on_bad):
        fields = row.fields
        if isinstance(fields, Mapping) and fields.keys() >= _OURS:
            yield _ours(fields, row.where)
        elif isinstance(fields, Mapping) and fields.keys() >= _RGM:
            yield _rgm(fields, row.where, responses)
        else:
            raise wrong(
                row.where, "", fields, "a labelled answer", "Give what 'dialeval consistency label' wrote."
            )


def _ours(fields: Mapping[str, Any], where: Where) -> LabelledAnswer:
    try:
        return LabelledAnswer(**{**fields, "context": tuple(fields.get("context") or ())})
    except TypeError as error:
        todo = "Give what 'dialeval consistency label' wrote."
        raise BadInput(where.path, str(error), "a labelled answer", todo, where.line) from None


def _rgm(fields: Mapping[str, Any], where: Where, responses: RgmResponses) -> LabelledAnswer:
    """One judged response; its context's hash is the id, so that systems with the same context meet."""
    utterances, votes = fields["utterances"], fields["contradictory_label_count"]
    pair = fields["annotation_target_pair"]
    text = (responses.response(fields, where) if responses.folder is not None else None) or ""
    return LabelledAnswer(
        id=hashlib.sha256("\n".join(utterances[:-1]).encode()).hexdigest()[:16],
        system=fields["rgm_name"],
        earlier=utterances[pair[0]],
        between=utterances[-2],
        response=text,
        label="contradiction" if votes >= 2 else "consistent" if votes == 0 else "ambiguous",
        votes=votes,
        raters=3,
    )
