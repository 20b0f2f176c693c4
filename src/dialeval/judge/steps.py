"""Steps of a judgement, written once by the judge itself and then frozen in a file."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from dialeval.data.types import Turn
from dialeval.errors import RunFailed
from dialeval.judge.asking import Form, Outcome, ask_server
from dialeval.judge.document import REASONS
from dialeval.judge.metric import Judge
from dialeval.judge.prompts import Request
from dialeval.judge.rubrics import Rubric
from dialeval.judge.verdicts import JudgeReply

_RULES: Final = (
    "You write down how a careful judge of conversations proceeds. The next message holds a criterion and its scores. "
    "Answer with three to seven numbered steps, each of one or two sentences, and with nothing else. The steps say "
    "what to look at, in which order, and how that leads to a score; they repeat neither the criterion nor the scores, "
    "and speak of no conversation in particular."
)
_LONGEST: Final = 20_000
"""Characters of steps, as the option ``steps`` takes them."""


class WrittenSteps(NamedTuple):
    """Steps as a model wrote them."""

    text: str
    asked: str
    """The model that was asked."""
    returned: str | None
    """The model that answered, as the server names it."""

    @property
    def digest(self) -> str:
        """As it stands in the signature of a judge with these steps."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def write_steps(judge: Judge, rubric: Rubric) -> WrittenSteps:
    """The steps by which the judge's model would judge by this rubric; RunFailed if it gives none.

    The same call is answered from the cache. Judges differ in their steps from call to call, so keep what was written.
    """
    request = _request(rubric)
    outcome = _ask(judge, request)
    reply = outcome.reply
    text = reply.text.strip()
    why = _lacking(outcome, text)
    if why is not None:
        raise RunFailed(f"{judge.models[0]} wrote no steps: {why}.")
    return WrittenSteps(text + "\n", judge.models[0], reply.model)


def _request(rubric: Rubric) -> Request:
    scores = "\n".join(f"{score}: {' '.join(rubric.scores[score].split())}" for score in rubric.scale)
    data = f"Criterion: {' '.join(rubric.criterion.split())}\n\nScores:\n{scores}\n\nWrite the steps now."
    return Request(_RULES, data, hashlib.sha256(data.encode()).hexdigest()[:16])


def _ask(judge: Judge, request: Request) -> Outcome:
    """The reply of the first model of the panel."""
    if judge.servers:
        form = Form("json", {}, judge.temperature, judge.max_tokens, 1, judge.seed)
        ((outcome,),) = ask_server(judge.servers[0], [request], form)
        return outcome
    local = judge.locals[0]
    context = Turn("system", request.rules), Turn("user", request.data)
    (responses,) = local.system.generate([context], seed=judge.seed)
    return Outcome(JudgeReply(responses[0].text if responses else "", local.fact, "stop"))


def _lacking(outcome: Outcome, text: str) -> str | None:
    """Why a reply is no steps; None if it is."""
    if outcome.code is not None:
        return outcome.found or REASONS[outcome.code]
    if outcome.reply.refusal:
        return outcome.reply.refusal
    if outcome.reply.finish in ("length", "max_tokens"):
        return "its reply was cut at the limit of tokens; raise 'max_tokens'"
    if not text:
        return "its reply is empty"
    return f"its reply has {len(text):,} characters, more than {_LONGEST:,}" if len(text) > _LONGEST else None
