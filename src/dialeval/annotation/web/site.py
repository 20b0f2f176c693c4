"""The site of one study: what its routes share, and the pages they show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from dialeval.annotation.desk import Desk, Faulty, Task
from dialeval.annotation.items import Item
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.project import Project
from dialeval.annotation.store.plan import Ending, Given, Rater, iso
from dialeval.annotation.store.store import Store
from dialeval.annotation.web.guards import RateLimit
from dialeval.annotation.web.rendering import addresses, render
from dialeval.annotation.web.sessions import Sessions
from dialeval.annotation.web.shown import (
    Chat,
    DonePage,
    HistoryPage,
    Page,
    PageAsk,
    Past,
    Progress,
    TaskPage,
)
from dialeval.annotation.web.texts import ENGLISH, LANGUAGES

EXCERPT: Final = 120
PROLIFIC: Final = "https://app.prolific.com/submissions/complete?cc="


@dataclass(frozen=True)
class Site:
    """One study on the web."""

    project: Project
    store: Store
    desk: Desk
    sessions: Sessions
    prefix: str = ""
    open: bool = False
    """Whether people may join without an invitation."""
    join_code: str = ""
    """Code that they must then know; empty for none."""
    join_limit: RateLimit = field(default_factory=lambda: RateLimit(10, 60))
    """Of those who join or try links that do not exist, from one address."""
    crowd_limit: RateLimit = field(default_factory=lambda: RateLimit(300, 60))
    """Of workers who come from a crowd platform, from one address."""
    most_joined: int = 1000
    code_limit: RateLimit = field(default_factory=lambda: RateLimit(10, 60))
    """Of wrong join codes, from one address."""
    all_codes_limit: RateLimit = field(default_factory=lambda: RateLimit(100, 3600))
    """Of wrong join codes from all addresses together."""
    address: str = ""
    """Address at which raters reach the study behind a proxy, as in ``https://example.org/rate``."""
    turns: dict[str, CapacityLimiter] = field(default_factory=dict)
    """By system, the one thread in which it makes replies."""

    def page(self, request: Request, *, owner: bool = False) -> Page:
        """Facts that every page has."""
        language = self.language(request)
        return Page(
            prefix=self.prefix,
            language=language,
            direction=LANGUAGES[language].direction,
            csrf=self.sessions.csrf(request, owner=owner),
            study=self.project.settings.title,
            languages=tuple((known.code, known.name) for known in LANGUAGES.values()),
            assets=addresses(self.prefix),
        )

    def language(self, request: Request) -> str:
        """The language asked for, chosen before, or preferred by the browser or the study."""
        wanted = [request.query_params.get("lang"), request.cookies.get("lang")]
        browser = request.headers.get("accept-language", "").split(",")
        wanted += [self.project.settings.language if self.project.settings.language != ENGLISH else None]
        wanted += [tag.partition(";")[0].strip().partition("-")[0] for tag in browser]
        return next((code for code in wanted if code in LANGUAGES), ENGLISH) or ENGLISH

    def html(
        self, request: Request, name: str, shown: object, status: int = 200, *, owner: bool = False
    ) -> HTMLResponse:
        """A template as a response; ``?lang=`` is remembered."""
        response = HTMLResponse(render(name, self.page(request, owner=owner), shown), status)
        if request.query_params.get("lang") in LANGUAGES:
            response.set_cookie("lang", request.query_params["lang"], path=f"{self.prefix}/", samesite="lax")
        return response

    def progress(self, rater: Rater) -> Progress:
        """Progress of a rater: of their block, or of all items."""
        plan = self.store.plan
        done = self.store.answered(rater, checks=True)
        total = plan.block or len(plan.of_role("rating"))
        if plan.check_rate:
            # Checks count like other items: a number that stood still would give them away.
            checks = math.ceil(total * plan.check_rate / (1 - plan.check_rate))
            total += min(len(plan.of_role("check")), checks)
        return Progress(done, max(done, total))

    def task_page(
        self,
        rater: Rater,
        task: Task,
        *,
        posted: Mapping[str, Mapping[str, object]] | None = None,
        faulty: Faulty | None = None,
        saved: bool = False,
        conflict: bool = False,
        gone: bool = False,
    ) -> TaskPage:
        """An item with its questions, as the rater sees it."""
        settings = self.project.settings
        previous = next(
            (
                given.item
                for given in self.store.history(rater, most=3)
                if given.item != task.item.id and self.project.sources[given.item].role != "qualification"
            ),
            None,
        )
        return TaskPage(
            item=task.item,
            asks=tuple(self._asked(task, criterion, posted or {}, faulty) for criterion in self.project.asks),
            phase="qualification" if task.role == "qualification" else "rating",
            progress=self.progress(rater),
            revision=task.revision,
            least_seconds=settings.least_seconds,
            instructions=settings.instructions,
            previous=previous,
            saved=saved,
            chat=self._chat(task),
            conflict=conflict,
            gone=gone,
        )

    def _asked(
        self, task: Task, criterion: str, posted: Mapping[str, Mapping[str, object]], faulty: Faulty | None
    ) -> PageAsk:
        ask = self.project.asks[criterion]
        fault = (faulty.faults if faulty else {}).get(criterion)
        return PageAsk(
            ask,
            KINDS[ask.kind].fields(ask, task.item),
            answer=task.latest.answers.get(criterion) if task.latest else None,
            fault=fault[1] if fault else None,
            fault_field=fault[0] if fault else None,
            posted=posted.get(criterion, {}),
        )

    def _chat(self, task: Task) -> Chat | None:
        chat = self.project.settings.chat
        if chat is None:
            return None
        said = sum(turn.speaker == "user" for turn in task.talk)
        waiting = bool(task.talk) and task.talk[-1].speaker == "user"
        return Chat(task.item.context, said, chat.turns, waiting)

    def history_page(self, rater: Rater) -> HistoryPage:
        """Answers of the rater, attention checks included: their absence would give them away."""
        answered = [
            given
            for given in self.store.history(rater)
            if self.project.sources[given.item].role != "qualification"
        ]
        return HistoryPage(tuple(self._past(given) for given in answered), self.progress(rater))

    def _past(self, given: Given) -> Past:
        return Past(given.item, _excerpt(self.project.items[given.item]), given.answers, iso(given.at))

    def done_page(self, rater: Rater, ending: Ending) -> DonePage:
        """The end, with what the rater's platform asks for."""
        answered = self.store.answered(rater)
        may_return = ending == "nothing_left" and self.store.counts()["in_hand"] > 0
        page = DonePage(ending, answered, may_return=may_return)
        crowd = self.project.settings.crowd
        if crowd is None or ending == "revoked":
            return page
        if rater.origin == "mturk":
            address = str(rater.outside.get("turkSubmitTo", "")).rstrip("/") + "/mturk/externalSubmit"
            hidden = {"assignmentId": str(rater.outside.get("assignmentId", "")), "answered": str(answered)}
            return DonePage(ending, answered, submit=(address, hidden), may_return=may_return)
        code = {"screened_out": crowd.screened_out, "failed_checks": crowd.failed}.get(
            ending, crowd.completed
        )
        return DonePage(ending, answered, code, PROLIFIC + code if code else None, may_return=may_return)


def _excerpt(item: Item) -> str:
    text = item.candidates[0].text if item.candidates else item.context[-1].text if item.context else ""
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"
