"""MLflow traces: ``{"info", "data": {"spans"}}``, in lines, an array or as ``{"traces": []}``.

Assessments of source HUMAN are people's, of LLM_JUDGE judges' and of CODE checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.exports.calls import KINDS as TRACES, Left, Traces
from dialeval.data.importers.exports.documents import bad, entry, listing, objects, table, word
from dialeval.data.importers.exports.messages import parsed
from dialeval.data.importers.exports.scores import Score, Source as Giver
from dialeval.data.importers.exports.spans import Span, span_of, span_records
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput

KINDS: Final = TRACES
_GIVERS: Final[Mapping[str, Giver]] = {
    "HUMAN": "person",
    "LLM_JUDGE": "judge",
    "AI_JUDGE": "judge",
    "CODE": "check",
}


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each session, or trace without one, or the assessments of them."""
    spans: list[Span] = []
    refused: set[str] = set()
    assessments: list[tuple[str, Mapping[str, object]]] = []
    for row, fields in objects(source, on_bad):
        listed = listing(fields, "traces", row.where) if "traces" in fields else [fields]
        for held in listed:
            trace = entry(held, row.where, "traces")
            try:
                own, told = _trace(trace, row)
                spans += told
                info = table(trace, "info", row.where)
                assessments += [
                    (own, entry(each, row.where, "info.assessments"))
                    for each in listing(info, "assessments", row.where, "info")
                ]
            except BadInput as error:
                refused.add(word(table(trace, "info", row.where), "trace_id", "request_id"))
                on_bad(BadLine(error, row.raw))

    def assessed(traces: Traces, systems: Mapping[str, str]) -> Iterator[Score]:
        for own, each in assessments:
            yield _score(each, traces.item(own), systems)

    yield from span_records(
        spans, refused, kind, on_bad, shown(source), name="mlflow", left=Left(), assessed=assessed
    )


def _trace(trace: Mapping[str, object], row: Row) -> tuple[str, list[Span]]:
    """The id of a trace and its spans, with the session that its metadata names."""
    info, data = table(trace, "info", row.where), table(trace, "data", row.where)
    own = word(info, "trace_id", "request_id")
    if not own:
        raise bad(row.where, "info.trace_id", "no id of a trace", "text", "Export the trace again.")
    metadata = {**table(info, "request_metadata", row.where), **table(info, "trace_metadata", row.where)}
    session = word(metadata, "mlflow.trace.session")
    spans = []
    for held in listing(data, "spans", row.where, "data"):
        fields = dict(entry(held, row.where, "data.spans"))
        attributes = {
            name: parsed(value) if isinstance(value, str) and parsed(value) is not None else value
            for name, value in table(fields, "attributes", row.where, "data.spans").items()
        }
        attributes = {
            "mlflow.spanInputs": fields.get("inputs"),
            "mlflow.spanOutputs": fields.get("outputs"),
            **({"mlflow.trace.session": session} if session else {}),
            **attributes,
        }
        span = span_of({**fields, "trace_id": own, "attributes": {}, "events": []}, row)
        spans.append(span._replace(attributes=attributes))
    return own, spans


def _score(each: Mapping[str, object], item: str, systems: Mapping[str, str]) -> Score:
    source = each.get("source")
    held = source if isinstance(source, Mapping) else {}
    giver = _GIVERS.get(word(held, "source_type").upper(), "check")
    feedback = each.get("feedback") or each.get("expectation")
    value = feedback.get("value") if isinstance(feedback, Mapping) else each.get("value")
    label = value if isinstance(value, str) else ""
    return Score(
        *(item, systems.get(item, ""), word(each, "assessment_name", "name"), giver),
        value=None if label else value,
        rater=word(held, "source_id") if giver == "person" else "",
        comment=word(each, "rationale"),
        label=label,
    )
