"""Cached answers of a run: which may be used, whether the server still gives them, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.catalogue.systems import SYSTEMS
from dialeval.core import (
    AnswerRule,
    Generator,
    LikelihoodModel,
    Missing,
    Replayer,
    Served,
    System,
    innermost,
    served,
)
from dialeval.data import Prompt, Response, Usage
from dialeval.data.types import Context
from dialeval.display.wording import count, one_line
from dialeval.engine import Workshop
from dialeval.errors import DialevalError, ServerChanged
from dialeval.evaluation.answers import cached_answers
from dialeval.evaluation.measure import Respondent
from dialeval.study.document import AnswerSource, CheckOutcome
from dialeval.study.file import Study

CHECKED: Final = 3
"""Cached answers that are asked for again before they are used."""
_UNITS: Final = ((86400, "day", 2), (3600, "hour", 1), (60, "minute", 1))
"""Seconds, name, and the least number that is said in this unit."""


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """Which cached answers a run may use; a system's own ``cache`` in the study comes first."""

    ask_again: bool = False
    """Ask for every answer again, and replace the cached ones."""
    own_only: bool = False
    """Use only what the run itself asked if the study has gates, as in CI."""
    folder: Path | None = None
    """Where the run caches its own answers, to resume; None if it cannot."""
    check: bool = True
    """Ask for some cached answers again, to learn whether the server has changed."""

    def rule(self, study: Study, system: str) -> AnswerRule:
        """The rule for answers of this system."""
        stated = study.caches.get(system)
        only_own = self.own_only and bool(study.gates) and stated is None
        return AnswerRule(stated or "keep", self.ask_again or only_own, self.folder)

    def applied(self, study: Study, workshop: Workshop) -> tuple[Study, Workshop]:
        """The study and the workshop under this policy."""
        rules = {system.name: self.rule(study, system.name) for system in study.systems}
        systems = [
            system if (server := served(system)) is None else server.with_rule(rules[system.name])
            for system in study.systems
        ]
        return replace(study, systems=tuple(systems)), replace(workshop, rules=rules)


class Check(NamedTuple):
    """Outcome of asking a server for cached answers again."""

    outcome: CheckOutcome
    asked: int = 0
    why: str | None = None


def check_servers(study: Study, prompts: Sequence[Prompt], workshop: Workshop) -> dict[str, Check]:
    """The result of the check of each system behind a server; ServerChanged if one gives other answers than it did.

    If a server cannot be asked, its cached answers are used, since they were paid for, and said not to be checked. One
    whose answers differ each time, though it was asked not to sample, cannot be checked either.
    """
    checks: dict[str, Check] = {}
    for system in study.systems:
        server = served(system)
        if server is not None and isinstance(system, Generator):
            cached = _cached(system, prompts, study.resampling.seed, workshop) if server.repeatable else {}
            checked = _check(server, cached, study.resampling.seed) if cached else None
            checks |= {} if checked is None else {system.name: checked}
            checks |= {} if server.repeatable else {system.name: Check("sampled")}
    return checks


def _cached(
    system: Generator, prompts: Sequence[Prompt], seed: int, workshop: Workshop
) -> dict[Context, Response]:
    """Cached answers to check: the oldest, the newest and one between, of different contexts."""
    found = cached_answers(system, prompts, seed, workshop.answer_cache(system.name))
    contexts = {prompts[index].context: index for index in reversed(found)}
    ordered = sorted(contexts.values(), key=lambda index: (_asked(found[index]) or 0.0, index))
    last = len(ordered) - 1
    chosen = dict.fromkeys([0, last // 2, last]) if len(ordered) > CHECKED else range(len(ordered))
    return {prompts[ordered[place]].context: found[ordered[place]] for place in chosen}


def _check(server: Served, cached: Mapping[Context, Response], seed: int) -> Check:
    try:
        now = _now(server, list(cached), seed)
        other = [context for context, response in cached.items() if now[context] != response.text]
        again = _now(server, other, seed)
    except DialevalError as error:
        return Check("unreachable", why=one_line(str(error), limit=160))
    changed = [context for context in other if now[context] is not None and now[context] == again[context]]
    lost = [context for context in other if now[context] is None]
    if lost and not changed:
        return Check("unreachable", why=f"{count(len(lost), 'answer')} could not be used")
    if changed:
        first = changed[0]
        asked = first[-1].text if first else ""
        told = (asked, cached[first].text, now[first] or "nothing")
        raise ServerChanged(server.name, len(changed), len(cached), told)
    return Check("unrepeatable" if other else "same", len(cached))


def _now(server: Served, contexts: Sequence[Context], seed: int) -> dict[Context, str | None]:
    """Return the server's answer in each context now, blank if it is silent; None if no answer can be used."""
    if not contexts:
        return {}
    answers = server.ask_again(contexts, seed=seed)
    said = [
        None if given and given[0].cause == "failed" else given[0].text if given else "" for given in answers
    ]
    return dict(zip(contexts, said, strict=True))


def _asked(response: Response) -> float | None:
    return None if response.usage is None else response.usage.asked


def answer_source(respondent: Respondent, check: Check | None, began: float) -> AnswerSource | None:
    """Where a system's answers to the prompts come from; None if there are none, or nobody is asked for them.

    Answers that were asked for after the run ``began`` are not cached ones: two prompts may be equal.
    """
    used, refusals = [], []
    for example in respondent.examples:
        if isinstance(example, Missing):
            continue
        used.append(example.response.usage or Usage())
        if example.response.cause == "refused":
            refusals.append(example.response.missing)
    emptied = sum(usage.emptied for usage in used)
    if not used or not (emptied or _can_change(respondent.system)):
        return None
    cached = _earlier([usage.asked for usage in used if usage.cached], began)
    cut = sum(usage.cut for usage in used)
    source = _source(respondent.system.name, None, len(used), cached)
    known = check if cached and check is not None else None
    return replace(
        source,
        check=known and known.outcome,
        checked=known.asked if known else 0,
        why=known and known.why,
        cut=cut,
        emptied=emptied,
        refused=len(refusals),
        refusal=next(iter(refusals), None),
    )


def question_source(
    system: System,
    measure: str,
    times: Sequence[float | None],
    began: float,
    answers: Iterable[Response] = (),
) -> AnswerSource | None:
    """Where the answers to a measure's own questions come from; None if none was asked before the run ``began``.

    None also means that no filter dropped all candidates of one. ``times`` are those of the batches and of the single
    answers that were cached.
    """
    earlier = _earlier(times, began)
    asked = earlier if earlier and _can_change(system) else []
    given = [answer.usage.emptied for answer in answers if answer.usage is not None]
    emptied = sum(given)
    if not asked and not emptied:
        return None
    return replace(_source(system.name, measure, len(asked) or len(given), asked), emptied=emptied)


def _earlier(times: Sequence[float | None], began: float) -> list[float | None]:
    """Return the times before a run began, and those that are unknown."""
    return [asked for asked in times if asked is None or asked < began]


def _can_change(asked: System) -> bool:
    """Whether a system is asked; recorded answers, and those of baselines, follow from the files of the study."""
    system = innermost(asked)
    return (
        isinstance(system, Generator | LikelihoodModel)
        and not isinstance(system, Replayer)
        and not any(SYSTEMS[kind] in type(system).__mro__ for kind in ("echo", "random", "retrieval"))
    )


def _source(system: str, measure: str | None, answers: int, cached: Sequence[float | None]) -> AnswerSource:
    known = [asked for asked in cached if asked is not None]
    first, last = (min(known), max(known)) if known else (None, None)
    return AnswerSource(
        system, measure, answers, len(cached), len(cached) - len(known), _moment(first), _moment(last)
    )


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def answer_notes(sources: Sequence[AnswerSource], started: str) -> Iterator[str]:
    """Sentences on answers that come from the cache, were cut or refused, of a run that began at this time."""
    for source in sources:
        if source.cached:
            used = (
                f"{source.cached:,} of {source.answers:,} answers"
                if source.measure is None
                else f"answers to questions under {source.measure} ({source.cached:,} cached)"
            )
            yield (
                f"{source.system}: {used} from the cache, asked {_when(source, started)}{_verified(source)}"
            )
        if source.cut:
            yield (
                f"{source.system}: {source.cut:,} of {count(source.answers, 'answer')} were cut at max_tokens "
                "(finish_reason: length); raise 'max_tokens' in 'decoding', or the server's own limit"
            )
        if source.emptied:
            under = "" if source.measure is None else f" under {source.measure}"
            yield (
                f"{source.system}: the filter dropped every candidate of {count(source.emptied, 'list')}{under}; "
                "what it falls back to counts as the answer"
            )
        if source.refused:
            first = "" if source.refusal is None else f": {one_line(source.refusal, limit=160)}"
            yield f"{source.system}: {source.refused:,} of {count(source.answers, 'prompt')} refused{first}"


def _when(source: AnswerSource, started: str) -> str:
    if source.first_asked is None or source.last_asked is None:
        return "at an unknown time, by an older version"
    oldest, newest = (_age(moment, started) for moment in (source.first_asked, source.last_asked))
    when = f"{oldest} ago" if oldest == newest else f"{newest} to {oldest} ago"
    day = source.first_asked[:10]
    return f"{when} ({day})" + (f", {source.undated:,} of them at an unknown time" if source.undated else "")


def _age(moment: str, started: str) -> str:
    seconds = (datetime.fromisoformat(started) - datetime.fromisoformat(moment)).total_seconds()
    for length, unit, least in _UNITS:
        if seconds >= least * length:
            return count(int(seconds // length), unit)
    return "less than a minute"


def _verified(source: AnswerSource) -> str:
    """Say what is known of whether the server would still give them."""
    match source.check:
        case "same":
            return f"; {source.checked} asked again, and the same"
        case "sampled":
            return "; not checked, as the server samples"
        case "unrepeatable":
            return "; not checked, as the server answers the same question differently each time"
        case "unreachable":
            return f"; not checked: {source.why}"
    return ""
