"""``dialeval consistency probe`` and ``collect``: questions that provoke contradictions, and systems' answers."""

from __future__ import annotations

import json as jsonlib
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from dialeval.cli.consistency.detect import Dialogues, Model
from dialeval.cli.execution import Execution, open_workshop
from dialeval.cli.options import From, Seed
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.consistency.collecting.answers import Keep, ask_probes
from dialeval.consistency.detecting.metrics import ContradictionDetector
from dialeval.consistency.folder import write_answers
from dialeval.consistency.probing.entities import entity_probes
from dialeval.consistency.probing.followups import DISTANCES, draw_random, log_fqness, mine, scored_probes
from dialeval.consistency.probing.probes import read_probes, write_probes
from dialeval.core import AnswerRule, LikelihoodModel, Missing, served
from dialeval.data import read
from dialeval.display.wording import count
from dialeval.engine.cache import CountingCache, answer_cache
from dialeval.errors import RunFailed, Unsuitable
from dialeval.options import Argument, Option, Options
from dialeval.study import named_system
from dialeval.study.freshness import answer_notes, question_source
from dialeval.systems.decoding import Decoding

if TYPE_CHECKING:
    from dialeval.consistency.probing.probes import Probe
    from dialeval.core import Served, System
    from dialeval.data import Dialogue
    from dialeval.engine import Cache, Workshop

_SHOWN = 5


def probe(
    dialogues: Dialogues,
    out: Annotated[Path, Option("--out", "-o", help="The file of probes to write, best first.")],
    kind: Annotated[
        Literal["follow-up", "entity"],
        Option(
            "--kind",
            help="Follow-up questions that people asked, ranked by FQness; or questions by rules for a live system.",
        ),
    ] = "follow-up",
    system: Annotated[
        str,
        Option(
            "--system",
            metavar="NAME",
            help="The model of FQness: any that gives log-probabilities.",
            show_default="the embedded one",
        ),
    ] = "smollm2-135m-instruct",
    distance: Annotated[
        list[int] | None,
        Option(
            "--distance",
            metavar="N",
            min=1,
            help="Turns from statement to question. Repeatable.",
            show_default="1, 3, 5",
        ),
    ] = None,
    top: Annotated[int | None, Option("--top", min=1, help="Keep only the best N.")] = None,
    random: Annotated[
        int, Option("--random", min=0, help="Also N questions drawn at random, for comparison.")
    ] = 0,
    per_distance: Annotated[
        bool, Option("--per-distance", help="Apply --top and --random to each distance by itself.")
    ] = False,
    per_dialogue: Annotated[
        int, Option("--per-dialogue", min=1, help="Questions by rules for each dialogue.")
    ] = 3,
    format: From = None,
    seed: Seed = 0,
    execution: Annotated[
        Execution, Options("limit", "engine", "address", "resume", "cache", "json")
    ] = Execution(),
) -> None:
    """Mine follow-up questions, or ask questions by rules, that provoke contradictions.

    FQness (Sato, 2024) is how much more probable a question is right after a statement than without it: P(question |
    context without the turns between) / P(question | context without the statement). Interrupted? The same command
    resumes.

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --top 100 --random 100

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --top 100 --random 100 --per-distance

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --engine ray

    Example: dialeval consistency probe dialogues.jsonl -o probes.jsonl --kind entity
    """
    given = list(islice(read(dialogues, "dialogue", format=format), execution.limit))
    if kind == "entity":
        if execution.settings is not None:
            raise BadUsage("questions by rules need no model; leave it out", where="--engine")

        asked = entity_probes(given, per_dialogue=per_dialogue, seed=seed)
        probes, excluded = list(asked.probes)[:top], asked.excluded
    else:
        with open_workshop(execution) as shop:
            ranked, excluded = _follow_ups(given, system, distance, shop)
        distances = sorted({each.distance for each in ranked}) if per_distance else [None]
        probes = []
        for place in distances:
            own = [each for each in ranked if place in (None, each.distance)]
            probes += [*own[:top], *draw_random(own, random, seed)]
    write_probes(out, probes)
    _show(probes, excluded, out, json=execution.json)


def _follow_ups(
    dialogues: Sequence[Dialogue],
    system: str,
    distances: Sequence[int] | None,
    shop: Workshop,
) -> tuple[list[Probe], Counter[str]]:
    """The questions that follow up on something, the best first, and the dialogues that have none."""
    mined = mine(dialogues, tuple(distances or DISTANCES))
    if not mined.found:
        return [], mined.excluded
    model = named_system(system)
    if not isinstance(model, LikelihoodModel):
        raise Unsuitable(
            f"{model.name} gives no log-probabilities, which FQness needs. Name a model, as smollm2-135m-instruct."
        )
    with shop.watch("questions", len(mined.found)) as progress:
        scores = log_fqness(mined.found, model, progress=progress, executor=shop.asking, cache=shop.cache)
    return scored_probes(mined.found, scores), mined.excluded


def _show(probes: Sequence[Probe], excluded: Counter[str], out: Path, *, json: bool) -> None:
    if json:
        draws = Counter(each.draw for each in probes)
        print(jsonlib.dumps({"probes": len(probes), "draws": draws, "excluded": excluded, "file": str(out)}))
        return
    for reason, number in excluded.items():
        print(f"{number:,} of the dialogues left out: {reason}", file=sys.stderr)
    for each in probes[:_SHOWN]:
        score = f"FQness {each.fqness:.3g}, " if each.fqness is not None else f"{each.kind}, "
        print(f"{each.id} ({score}{count(each.distance, 'turn')} back)")
        print(f"  >> {each.passage}\n     {each.question}")
    print(f"{count(len(probes), 'probe')}: {out}")


def collect(
    probes: Annotated[str, Argument(metavar="PROBES", help="What 'dialeval consistency probe' wrote.")],
    system: Annotated[
        list[str],
        Option(
            "--system", metavar="NAME", help="A system that answers, named as in 'dialeval chat'. Repeatable."
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", help="The file of answers to write.")],
    n: Annotated[
        int,
        Option("--n", min=1, help="Candidates of which one is kept; Sato (2024) takes 100."),
    ] = 1,
    keep: Annotated[
        Keep,
        Option(
            "--keep",
            help="Keep the candidate that is most contradictory for the detector, or most probable for the system.",
        ),
    ] = "contradictory",
    top_p: Annotated[
        float,
        Option("--top-p", min=0.01, max=1.0, help="Nucleus (top-p) from which candidates are sampled."),
    ] = 0.5,
    model: Model = "shipped",
    seed: Seed = 0,
    execution: Annotated[
        Execution, Options("limit", "engine", "address", "resume", "ask_again", "cache", "json")
    ] = Execution(),
) -> None:
    """Ask systems for answers to probes, one each, or the most contradictory or most probable of many.

    Interrupted, or out of an HTTP system's budget? The same command asks for the rest only.

    Example: dialeval consistency collect probes.jsonl --system smollm2-135m-instruct --n 100 -o answers.jsonl
    """
    asked = read_probes(probes)[: execution.limit]
    answers, missing, unanswered = [], Counter[str](), 0
    with open_workshop(execution) as shop:
        cached = CachedAnswers(shop, ask_again=execution.ask_again is True)
        for name in system:
            answering = cached.watched(_sampling(named_system(name), top_p) if n > 1 else named_system(name))
            with shop.watch(f"{answering.name} answers", len(asked)) as progress:
                given = ask_probes(
                    answering,
                    asked,
                    detector=ContradictionDetector(model),
                    n=n,
                    keep=keep,
                    seed=seed,
                    cache=cached.of(answering),
                    progress=progress,
                    executor=shop.asking,
                )
            answers += [each for each in given if not isinstance(each, Missing)]
            left = [each for each in given if isinstance(each, Missing)]
            missing.update(f"{each.system}: {each.reason}" for each in left)
            unanswered += sum(each.cause == "failed" for each in left)
        cached.tell()
    write_answers(out, (("", answer) for answer in answers))
    emptied = Counter(
        each.system for each in answers if (usage := each.example.response.usage) and usage.emptied
    )
    _show_collected(len(answers), missing, emptied, out, json=execution.json)
    if unanswered:
        raise RunFailed(
            f"{unanswered:,} probes were not answered; the rest was kept. Run again to ask for them."
        )


def _sampling(system: System, top_p: float) -> System:
    """Return the system drawing from a nucleus, if its decoding does not sample yet."""
    decoding = getattr(system, "decoding", None)
    if not isinstance(decoding, Decoding) or decoding.samples:
        return system
    nucleus = Decoding("nucleus", top_p=top_p, max_tokens=decoding.max_tokens)
    changed: System = replace(system, decoding=nucleus)  # type: ignore[type-var]
    return changed


def _show_collected(
    answers: int, missing: Counter[str], emptied: Counter[str], out: Path, *, json: bool
) -> None:
    if json:
        counts = {"answers": answers, "missing": missing, "emptied": emptied, "file": str(out)}
        print(jsonlib.dumps(counts, ensure_ascii=False))
    else:
        print(f"{answers:,} answers: {out}")
        for reason, number in missing.items():
            print(f"{number:,} missing: {reason}", file=sys.stderr)
        for name, number in emptied.items():
            lists = count(number, "list")
            print(f"{name}: the filter dropped every candidate of {lists} and fell back", file=sys.stderr)


class _Use(NamedTuple):
    """A server, its cache, and how many of its own answers it had reused before."""

    server: Served
    counted: CountingCache | None
    before: int


class CachedAnswers:
    """Cached answers that a command may use, and a count of those that it did use."""

    def __init__(self, shop: Workshop, *, ask_again: bool) -> None:
        self._shop, self._ask_again, self._began = shop, ask_again, time.time()
        self._uses: list[_Use] = []
        self.caches: dict[str, Cache] = {}
        """Caches of the systems behind servers, by name; all others use the workshop's."""

    def watched(self, system: System) -> System:
        """The system under the rule of the command; one behind a server gets a cache of its own."""
        server = served(system)
        if server is None:
            return system
        rule = AnswerRule(fresh=self._ask_again)
        cache = answer_cache(rule, self._shop.cache)
        counted = None if cache is None else CountingCache(cache)
        if counted is not None:
            self.caches[system.name] = counted
        self._uses.append(_Use(server, counted, len(server.reused)))
        return server.with_rule(rule) if self._ask_again else system

    def of(self, system: System) -> Cache | None:
        """The cache for answers of this system."""
        return self.caches.get(system.name, self._shop.cache)

    def tell(self) -> None:
        """Print to stderr which answers came from a cache, and when they were asked."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for server, counted, before in self._uses:
            times = [*(counted.times if counted else ()), *server.reused[before:]]
            source = question_source(server, "this command", times, self._began)
            for note in answer_notes([] if source is None else [source], now):
                print(f"note: {note}; --ask-again asks for them again", file=sys.stderr)
