"""Results of promptfoo, formats 1 to 4: responses of each provider and prompt to each test, and their assertions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source, shown
from dialeval.data.importers.exports.documents import entry, listing, objects, table, word
from dialeval.data.importers.exports.messages import messages_in
from dialeval.data.importers.exports.results import JUDGED, KINDS as RESULTS, Result, result_records
from dialeval.data.importers.exports.scores import Score, Source as Giver
from dialeval.data.types import Kind, Record
from dialeval.errors import BadInput

KINDS: Final = RESULTS
_GOLD: Final = (
    "equals",
    "similar",
    "factuality",
    "model-graded-factuality",
    "rouge-n",
    "bleu",
    "levenshtein",
    "meteor",
)
"""Assertions whose value is a reference."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """A record for each result: the item is the test's number from 1, the system the provider and the prompt."""

    def results() -> Iterator[Result]:
        for row, fields in objects(source, on_bad):
            listed, providers = _listed(fields, row)
            names = _Names(listed, providers)
            for at, result in enumerate(listed):
                try:
                    yield _result(result, row, f"results[{at}]", names)
                except BadInput as error:
                    on_bad(BadLine(error, f"results[{at}]"))

    yield from result_records(results(), kind, on_bad, shown(source))


def _listed(fields: Mapping[str, object], row: Row) -> tuple[list[Mapping[str, object]], list[object]]:
    """The results of a file, and the providers that its configuration names."""
    held = fields.get("results")
    inner = held if isinstance(held, Mapping) else fields
    config = table(fields, "config", row.where)
    named = config.get("providers")
    providers = named if isinstance(named, list) else [named] if isinstance(named, str) else []
    return [entry(each, row.where, "results") for each in listing(inner, "results", row.where)], providers


class _Names:
    """Names of systems and numbers of tests."""

    def __init__(self, results: Sequence[Mapping[str, object]], providers: Sequence[object]) -> None:
        self._only = providers[0] if len(providers) == 1 and isinstance(providers[0], str) else ""
        ordered = sorted(
            results, key=lambda result: (_number(result, "promptIdx"), _number(result, "testIdx"))
        )
        self._prompts = list(dict.fromkeys(map(_prompt, ordered)))
        self._tests = list(dict.fromkeys(map(_vars, results)))

    def system(self, result: Mapping[str, object]) -> str:
        """The provider, and the prompt's number if there are several."""
        provider = result.get("provider")
        named = word(provider, "label", "id") if isinstance(provider, Mapping) else str(provider or "")
        number = f"prompt-{self._prompts.index(_prompt(result)) + 1}" if len(self._prompts) > 1 else ""
        return " ".join(filter(None, (named or self._only, number)))

    def item(self, result: Mapping[str, object]) -> str:
        """The number of the test."""
        own = result.get("testIdx")
        return str((own if isinstance(own, int) else self._tests.index(_vars(result))) + 1)


def _number(result: Mapping[str, object], field: str) -> int:
    value = result.get(field)
    return value if isinstance(value, int) else 0


def _prompt(result: Mapping[str, object]) -> str:
    prompt = result.get("prompt")
    if not isinstance(prompt, Mapping):
        return str(prompt)
    label = word(prompt, "label", "display", "id")
    # Format 1 shows the prompt filled in, which differs from test to test.
    for value in _held(result, "vars").values():
        if isinstance(value, str | int | float) and not isinstance(value, bool) and "label" not in prompt:
            label = label.replace(str(value), "{{}}")
    return label


def _vars(result: Mapping[str, object]) -> str:
    return json.dumps(_held(result, "vars"), sort_keys=True, default=str)


def _held(result: Mapping[str, object], field: str) -> Mapping[str, object]:
    test = result.get("testCase")
    value = result.get(field, test.get(field) if isinstance(test, Mapping) else None)
    return value if isinstance(value, Mapping) else {}


def _result(result: Mapping[str, object], row: Row, field: str, names: _Names) -> Result:
    prompt = result.get("prompt")
    raw = word(prompt, "raw") if isinstance(prompt, Mapping) else prompt
    context = messages_in(raw, "user") or []
    answered = result.get("response") or result.get("providerResponse")
    held = answered if isinstance(answered, Mapping) else {}
    output = held.get("output")
    reply = output if isinstance(output, str) or output is None else json.dumps(output, ensure_ascii=False)
    failed = word(held, "error") or word(result, "error")
    return Result(
        *(row.where, field, names.item(result), names.system(result), context, reply),
        missing=failed or "no output",
        cause="failed" if failed else "silent",
        references=tuple(_references(result)),
        scores=tuple(_scores(result)),
    )


def _references(result: Mapping[str, object]) -> Iterator[str]:
    test = result.get("testCase")
    asserts = test.get("assert") if isinstance(test, Mapping) else None
    for each in asserts if isinstance(asserts, list) else []:
        value = each.get("value") if isinstance(each, Mapping) and each.get("type") in _GOLD else None
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip() and "{{" not in text:
                yield text


def _scores(result: Mapping[str, object]) -> Iterator[Score]:
    """Each assertion under its metric or type, and whether the test passed, with its score."""
    grading = result.get("gradingResult")
    held = grading if isinstance(grading, Mapping) else {}
    components = held.get("componentResults")
    times: Counter[str] = Counter()
    for component in components if isinstance(components, list) else []:
        if not isinstance(component, Mapping):
            continue
        assertion = component.get("assertion")
        about = assertion if isinstance(assertion, Mapping) else {}
        kind = word(about, "type") or "assertion"
        name = word(about, "metric") or kind
        times[name] += 1
        name = name if times[name] == 1 else f"{name} {times[name]}"
        giver: Giver = "judge" if kind.removeprefix("not-") in JUDGED else "check"
        model = about.get("provider") if giver == "judge" else ""
        rater = model if isinstance(model, str) else ""
        yield Score("", "", name, giver, component.get("score"), rater, word(component, "reason"))
    if isinstance(passed := result.get("success"), bool):
        yield Score("", "", "pass", "check", passed, comment=word(held, "reason"))
    if isinstance(score := result.get("score"), int | float):
        yield Score("", "", "score", "check", score)
