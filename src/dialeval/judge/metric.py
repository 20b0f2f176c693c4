"""The measure ``judge``: a language model's verdict on each response or dialogue, by a rubric."""

from __future__ import annotations

import hashlib
import statistics as numbers
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.speakers import folded
from dialeval.data.types import Dialogue, Example
from dialeval.errors import BadInput, DialevalError, Unsuitable
from dialeval.files.folders import with_home
from dialeval.judge.asking import Form, Outcome, ask_server, recall_replies
from dialeval.judge.document import CODES, REASONS
from dialeval.judge.local import LocalJudge
from dialeval.judge.panel import Member, digest_of, load_panel
from dialeval.judge.prompts import VERSION, Mode, Request, Rules, request as request_about, schema
from dialeval.judge.rubrics import Level, Rubric, load_rubric
from dialeval.judge.verdicts import (
    JudgeReply,
    Verdict,
    no_verdict,
    read_expected,
    read_json,
    read_yes_no,
)
from dialeval.metrics.rows import MeanOfValues
from dialeval.selfeval.subjects import Subject
from dialeval.systems.openai import Budget, OpenAI, Prices

Combination: TypeAlias = Literal["median", "mean", "majority"]


@dataclass(frozen=True, slots=True)
class Judge(MeanOfValues[Subject]):
    """Score of a rubric that a language model gives each response or dialogue, or the reason why it gives none.

    The value is the expected score over the probabilities of all scores (``expected``), the score in a JSON verdict
    with a reason (``json``), or the probability of yes to the rubric's question (``yes_no``). Several ``model`` names
    with commas, or the ``judges`` of a file, are a panel; of its verdicts and of ``repeats`` the value is the median,
    the mean or the majority, and if one of them is lacking there is none. The corpus score is the mean.
    """

    name: ClassVar[str] = "judge"
    model: str = ""
    """The server's name of the model; without ``base_url`` a Hugging Face model, as ``smollm2-135m-instruct``."""
    rubric: str = "overall"
    """The name of a rubric of ours, or a YAML file."""
    base_url: str | None = None
    """Address of an OpenAI-compatible API, mostly ending in ``/v1``; None for a model that runs here."""
    level: Level = "turn"
    mode: Mode = "expected"
    repeats: int = 1
    combine: Combination = "median"
    reference: bool = False
    """Whether the judge sees the item's references; items without any are then unscored."""
    steps: str | None = None
    """A text file with the steps in which the judge is to proceed."""
    temperature: float | None = 0.0
    """None leaves it to the server."""
    seed: int = 0
    window: int = 40_000
    """Characters of a conversation that the judge is shown; the oldest turns beyond them are left out."""
    max_tokens: int = 1024
    revision: str | None = None
    """Change it if another model is served under the same name and address."""
    hub: bool = False
    """Whether a model that runs here may be downloaded."""
    judges: str | None = field(default=None, repr=False)
    """A YAML file with the judges of a panel, each with its ``model`` and ``base_url``, in place of these."""
    own_judge: bool = field(default=False, repr=False)
    """Whether the model may judge a system that is, or is called like, the model itself."""
    batch: bool = field(default=False, repr=False)
    """Whether requests are sent by the server's batch API, which answers later and mostly at a lower price."""
    api_key_env: str | None = field(default=None, repr=False)
    budget: int | None = field(default=None, repr=False)
    """The most requests that one process may send."""
    price_input: float | None = field(default=None, repr=False)
    """Price of a million tokens of requests."""
    price_output: float | None = field(default=None, repr=False)
    concurrency: int = field(default=8, repr=False)
    retries: int = field(default=5, repr=False)
    timeout: float = field(default=120.0, repr=False)
    folder: str | None = field(default=None, repr=False)
    """Where ``rubric``, ``steps`` and ``cache`` are; None: where we are."""
    cache: str | None = field(default=None, repr=False)
    """The folder in which replies are kept; None: the user's cache folder."""

    def __post_init__(self) -> None:
        if self.judges is not None and (self.model or self.base_url):
            raise DialevalError(
                "'judges' of judge: it goes without 'model' and 'base_url', which the file has of each judge."
            )
        if not self.models:
            raise DialevalError(
                "judge needs the parameter model: found no name, expected the model that is to judge (or 'judges', a "
                "file of several)."
            )
        if len(set(self.models)) < len(self.models):
            raise DialevalError(
                f"'model' of judge: found one name twice in {self.model!r}. Set 'repeats' instead."
            )
        for key, least in (("repeats", 1), ("window", 100), ("max_tokens", 1), ("seed", 0)):
            if getattr(self, key) < least:
                raise DialevalError(
                    f"{key!r} of judge: found {getattr(self, key)!r}, expected at least {least}."
                )
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise DialevalError(
                f"'temperature' of judge: found {self.temperature:g}, expected 0 to 2, or None."
            )
        here = any(member.base_url is None for member in self.members)
        if self.repeats > 1 and (self.temperature == 0 or here):
            raise DialevalError(
                "'repeats' of judge: with temperature 0, and for a model that runs here, all repeats are one and the "
                "same request. Set temperature=1, or leave 'repeats' out."
            )
        if here and self.mode == "json":
            raise DialevalError(
                "'mode' of judge: a model that runs here gives probabilities, not JSON. Set mode='expected' or "
                "'yes_no', or serve the model and name its 'base_url'."
            )
        if self.base_url is None and self.judges is None and self.api_key_env is not None:
            raise DialevalError("'api_key_env' of judge: it goes with a 'base_url', and none was given.")
        if here and self.batch:
            raise DialevalError("'batch' of judge: it is of a server; name its 'base_url', or leave it out.")
        known = self.read_rubric()
        if self.level not in known.levels:
            raise DialevalError(
                f"'level' of judge: the rubric {known.name!r} is for {' or '.join(known.levels)}, found {self.level!r}."
            )
        self.read_steps()
        _ = self.servers

    @property
    def members(self) -> tuple[Member, ...]:
        """The judges of the panel, one in most cases."""
        if self.judges is not None:
            return load_panel(self.judges, self._place)
        names = [name.strip() for name in self.model.split(",")]
        shared = (self.base_url, self.api_key_env, self.revision, self.price_input, self.price_output)
        return tuple(
            Member.model_construct(None, **dict(zip(Member.model_fields, (name, *shared), strict=True)))
            for name in names
            if name
        )

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the panel, of one in most cases."""
        return tuple(member.model for member in self.members)

    def read_rubric(self) -> Rubric:
        """The rubric."""
        return load_rubric(self.rubric, self._place)

    def read_steps(self) -> str | None:
        """The text of the steps."""
        if self.steps is None:
            return None
        try:
            text = (self._place / with_home(self.steps)).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise BadInput(
                self.steps, "no readable text", "a text file with steps", "Check 'steps'."
            ) from None
        if not text.strip() or len(text) > 20_000:
            raise BadInput(
                self.steps,
                f"{len(text.strip()):,} characters",
                "1 to 20,000",
                "Write down the steps of a judgement.",
            )
        return text

    @property
    def _place(self) -> Path:
        return Path(self.folder or ".")

    @property
    def _kept_in(self) -> str | None:
        return None if self.cache is None else str(self._place / with_home(self.cache))

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Digests of the rubric and the steps, the scale, the version of the prompt, and the hash of a local model."""
        rubric, steps = self.read_rubric(), self.read_steps()
        better = "higher" if rubric.higher_is_better else "lower"
        facts = [("rubric", rubric.sha256[:12]), ("better", better)]
        facts += [("scale", f"{rubric.scale[0]}:{rubric.scale[-1]}")]
        facts += [("steps", hashlib.sha256(steps.encode()).hexdigest()[:12])] if steps else []
        facts += (
            [("lm", "+".join(local.fact.replace("=", "_") for local in self.locals))] if self.locals else []
        )
        facts += [("panel", digest_of(self.members)[:12])] if self.judges else []
        return (*facts, ("prompt", str(VERSION)))

    @property
    def resources(self) -> dict[str, str]:
        """The models that run here and their sha256."""
        return {name: sha for local in self.locals for name, sha in local.resources.items()}

    @property
    def asks(self) -> bool:
        """Always: its replies are kept as they come."""
        return True

    @property
    def higher_is_better(self) -> bool:
        """As the rubric says."""
        return self.read_rubric().higher_is_better

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the scale, or of a probability."""
        scale = self.read_rubric().scale
        return (0.0, 1.0) if self.mode == "yes_no" else (float(scale[0]), float(scale[-1]))

    @property
    def yes_no(self) -> bool:
        """Never: values are scores or probabilities."""
        return False

    @property
    def family(self) -> str:
        """Judges of one rubric, whichever model they are."""
        return f"judge({self.rubric})"

    @property
    def whole_dialogues(self) -> bool:
        """True if whole dialogues are judged."""
        return self.level == "dialogue"

    def unscorable(self, subject: Subject) -> str | None:
        """Reason why there is nothing to judge; Unsuitable if the judge would judge itself."""
        self.refuse_itself(subject.system)
        if isinstance(subject, Dialogue):
            return None if any(turn.text.strip() for turn in subject.turns) else "no turns"
        if not subject.response.text.strip():
            return "blank response"
        return "no references" if self.reference and not subject.references else None

    def refuse_itself(self, system: str) -> None:
        """Unsuitable if a system of that name is the judge itself, unless that is meant."""
        own = folded(system)
        if self.own_judge or not own or own not in {part for name in self.models for part in names_of(name)}:
            return
        raise Unsuitable(
            f"The judge {', '.join(self.models)!r} would judge itself: the system is called {system!r}. Choose another "
            "judge, or, if it is meant, set own_judge=True."
        )

    def statistics(self, subjects: Sequence[Subject]) -> Floats:
        """Rows of the value, 1, and 0; of NaN, 1 and a code's number if there is no value."""
        rows = np.ones((len(subjects), 3))
        for place, given in enumerate(self.verdicts(subjects)):
            combined = self.combined(given)
            lost = combined.code
            rows[place, 0] = np.nan if combined.value is None else combined.value
            rows[place, 2] = 0 if lost is None else 1 + CODES.index(lost)
        return rows

    def undefined(self, row: Floats) -> str:
        """The reason behind the row's code."""
        return REASONS[CODES[int(row[2]) - 1]]

    def verdicts(self, subjects: Sequence[Subject]) -> list[tuple[Verdict, ...]]:
        """The verdicts on each subject, by every model of the panel and in every repeat."""
        asked = [self.request(subject) for subject in subjects]
        able = [one for one in asked if one is not None]
        columns = [self._ask(index, able) for index in range(len(self.models))]
        found = iter([tuple(v for own in row for v in own) for row in zip(*columns, strict=True)])
        too_long = (no_verdict("too_long", JudgeReply("")),)
        return [too_long if one is None else next(found) for one in asked]

    def recalled(self, subject: Subject) -> tuple[Verdict, ...]:
        """The verdicts on a subject that are known already; nothing is asked."""
        asked = self.request(subject)
        if asked is None:
            return (no_verdict("too_long", JudgeReply("")),)
        outcomes: list[Outcome] = []
        for member in self.members:
            if member.base_url is not None:
                outcomes += recall_replies(self._server(member), asked, self._form)
            elif (kept := self._local(member).recall(asked, self._answers)) is not None:
                outcomes.append(kept)
        return tuple(self._verdict(outcome, asked) for outcome in outcomes)

    def explain(self, subject: Subject) -> str:
        """The verdicts with their reasons and whole replies; before several, their values and how far apart they are.

        Empty if nothing was asked.
        """
        given = self.recalled(subject)
        return "\n".join([*_spread(given), *map(told, given)])

    def combined(self, given: Sequence[Verdict]) -> Verdict:
        """What the verdicts on one subject come to: their median, mean or majority; if one has no value, that one."""
        lacking = next((verdict for verdict in given if verdict.value is None), None)
        if lacking is not None or len(given) == 1:
            return lacking or given[0]
        values = [verdict.value for verdict in given if verdict.value is not None]
        value = numbers.median(values) if self.combine == "median" else numbers.fmean(values)
        if self.combine == "majority":
            counts = {one: values.count(one) for one in values}
            most = [one for one, count in counts.items() if count == max(counts.values())]
            value = numbers.median(most)
        return given[0]._replace(value=value)

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Price of so many tokens; None without prices, if a panel has several, or if the tokens are not known."""
        prices = {(member.price_input, member.price_output) for member in self.members}
        served = [member for member in self.members if member.base_url is not None]
        if prompt_tokens is None or completion_tokens is None or not served or len(prices) > 1:
            return None
        return self._server(served[0]).cost(prompt_tokens, completion_tokens)

    @property
    def rules(self) -> Rules:
        """What all requests have in common."""
        return Rules(self.read_rubric(), self.level, self.mode, self.read_steps())

    def request(self, subject: Subject) -> Request | None:
        """What is asked about a subject; None if it is longer than the window."""
        references = subject.references if self.reference and isinstance(subject, Example) else ()
        return request_about(self.rules, subject, references=references, window=self.window, seed=self.seed)

    def _ask(self, index: int, requests: Sequence[Request]) -> list[tuple[Verdict, ...]]:
        """The verdicts of one model of the panel on each request."""
        return [
            tuple(self._verdict(outcome, asked) for outcome in own)
            for own, asked in zip(self.outcomes(index, requests), requests, strict=True)
        ]

    def outcomes(
        self, index: int, requests: Sequence[Request], scale: Rubric | None = None
    ) -> list[tuple[Outcome, ...]]:
        """The replies of one model of the panel to each request; ``scale`` is another one than the rubric's."""
        member = self.members[index]
        if member.base_url is None:
            answers = self._answers if scale is None else tuple(map(str, scale.scale))
            return [(outcome,) for outcome in self._local(member).ask(requests, answers)]
        form = self._form if scale is None else replace(self._form, schema=schema(scale))
        return ask_server(self._server(member), requests, form, batch=self.batch)

    def recalled_outcomes(self, index: int, asked: Request, scale: Rubric) -> tuple[Outcome, ...]:
        """The replies of one model of the panel that are known already, on another scale than the rubric's."""
        member = self.members[index]
        if member.base_url is None:
            kept = self._local(member).recall(asked, tuple(map(str, scale.scale)))
            return () if kept is None else (kept,)
        return recall_replies(self._server(member), asked, replace(self._form, schema=schema(scale)))

    def _verdict(self, outcome: Outcome, asked: Request) -> Verdict:
        if outcome.code is not None:
            return no_verdict(outcome.code, outcome.reply, outcome.found)._replace(omitted=asked.omitted)
        rubric = self.read_rubric()
        if self.mode == "json":
            verdict = read_json(outcome.reply, rubric, asked.tag)
        elif self.mode == "yes_no":
            verdict = read_yes_no(outcome.reply)
        else:
            verdict = read_expected(outcome.reply, rubric)
        return verdict._replace(omitted=asked.omitted)

    @property
    def _answers(self) -> tuple[str, ...]:
        """Replies whose probabilities a model that runs here is asked for."""
        return ("yes", "no") if self.mode == "yes_no" else tuple(map(str, self.read_rubric().scale))

    @property
    def _form(self) -> Form:
        rubric = self.read_rubric()
        most = self.max_tokens if self.mode == "json" else min(self.max_tokens, 16)
        return Form(self.mode, schema(rubric), self.temperature, most, self.repeats, self.seed)

    @property
    def locals(self) -> list[LocalJudge]:
        """The models that run here."""
        return [self._local(member) for member in self.members if member.base_url is None]

    @property
    def servers(self) -> list[OpenAI]:
        """The models behind a server."""
        return [self._server(member) for member in self.members if member.base_url is not None]

    def _local(self, member: Member) -> LocalJudge:
        return LocalJudge(member.model, self.hub, self._kept_in)

    def _server(self, member: Member) -> OpenAI:
        prices = (member.price_input, member.price_output)
        priced = None if prices == (None, None) else Prices(prices[0] or 0.0, prices[1] or 0.0)
        assert member.base_url is not None
        return OpenAI(
            f"judge {member.model}",
            member.base_url,
            member.model,
            revision=member.revision,
            api_key_env=member.api_key_env,
            concurrency=self.concurrency,
            retries=self.retries,
            timeout=self.timeout,
            budget=Budget(requests=self.budget),
            prices=priced,
            cache=Path(self._kept_in) if self._kept_in else None,
        )


@dataclass(frozen=True, slots=True)
class RecordedJudge(MeanOfValues[Subject]):
    """A judge whose verdicts were read from a run: all that its signature tells, without rubric or model."""

    name: ClassVar[str] = "judge"
    text: str
    """The signature."""

    @property
    def signature(self) -> Signature:
        """As the run has it."""
        return Signature.parse(self.text)

    @property
    def higher_is_better(self) -> bool:
        """As the rubric said."""
        return dict(self.signature.facts).get("better") != "lower"

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the scale, or of a probability."""
        low, _, high = dict(self.signature.facts).get("scale", "").partition(":")
        if dict(self.signature.parameters).get("mode") == "yes_no":
            return 0.0, 1.0
        return float(low or "-inf"), float(high or "inf")

    @property
    def family(self) -> str:
        """Judges of one rubric."""
        return f"judge({dict(self.signature.parameters).get('rubric')})"

    def statistics(self, subjects: Sequence[Subject]) -> Floats:
        """No rows: the judge is not asked again; Unsuitable if there is anything to judge."""
        if subjects:
            raise Unsuitable(
                "Verdicts that were read from a run cannot be asked for again. Run the study again."
            )
        return np.zeros((0, 3))


def scale_of_judge(rater: str) -> tuple[float, float] | None:
    """The ends of a judge's scale, if its signature tells; None of a rater with a name alone."""
    try:
        low, high = RecordedJudge(rater).limits
    except ValueError:
        return None
    return (low, high) if np.isfinite([low, high]).all() else None


def names_of(model: str) -> set[str]:
    """The ways in which a system that is this model may be called: by its whole name, or without its owner."""
    return {folded(model), folded(model.rpartition("/")[2])}


def _spread(given: Sequence[Verdict]) -> list[str]:
    """A line with the values of several verdicts; nothing of fewer than two."""
    values = [verdict.value for verdict in given if verdict.value is not None]
    if len(values) < 2:
        return []
    return [f"{', '.join(f'{value:.4g}' for value in values)}: {max(values) - min(values):.4g} apart"]


def told(verdict: Verdict) -> str:
    """A verdict in words: value or reason, the judge's reason, what it rests on, and the whole reply."""
    reply = verdict.reply
    head = (
        f"{verdict.value:.4g}"
        if verdict.value is not None
        else f"no value: {REASONS[verdict.code or 'failed']}"
    )
    parts = [head + (f": {verdict.reason}" if verdict.reason else "")]
    if verdict.probabilities:
        shares = ", ".join(f"{score}: {share:.3f}" for score, share in verdict.probabilities)
        parts.append(f"probabilities {shares} (of {verdict.mass:.3f} in all)")
    if verdict.omitted:
        parts.append(f"the first {verdict.omitted} turns were not shown")
    if reply.model:
        parts.append(
            f"by {reply.model}"
            + (f", held to its form by {reply.constraint}" if reply.constraint != "none" else "")
        )
    if reply.text:
        parts.append(f"reply: {reply.text}")
    return "; ".join(parts)
