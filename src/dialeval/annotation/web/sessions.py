"""Sessions: who a request comes from, and whether its form is our own."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Literal, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from dialeval.annotation.invitations import csrf_token, same, signed, unsigned
from dialeval.annotation.store.plan import Rater
from dialeval.annotation.store.store import Store

Refusal: TypeAlias = Literal[
    "no_session", "bad_link", "csrf", "too_large", "rate", "not_found", "server", "not_owner", "bad_request"
]


class Denied(Exception):
    """A request that is not served."""

    def __init__(self, status: int, code: Refusal) -> None:
        super().__init__(code)
        self.status, self.code = status, code


@dataclass(frozen=True, slots=True)
class Sessions:
    """Signed cookies: nothing is kept on the server but the rater's row, so a restart ends no session."""

    secret: bytes
    store: Store
    prefix: str = ""
    framed: bool = False
    """Whether pages are shown in another site's frame, where only cookies with SameSite=None arrive."""
    secure: bool = False
    """Whether raters reach the study by https although it may be served without, behind a proxy."""

    @property
    def study(self) -> str:
        """Part of the cookies' names, so that two studies on one machine do not end each other's sessions."""
        return hashlib.sha256(b"cookie" + self.secret).hexdigest()[:8]

    def begin(self, request: Request, response: Response, rater: Rater) -> None:
        """Make the response open a session of the rater."""
        value = f"{rater.id}-{rater.generation}-{secrets.token_urlsafe(9)}"
        self._set(request, response, f"rater_{self.study}", signed(self.secret, "rater", value))

    def begin_owner(self, request: Request, response: Response) -> None:
        """Make the response open a session of the owner."""
        value = signed(self.secret, "owner", secrets.token_urlsafe(9))
        self._set(request, response, f"owner_{self.study}", value)

    def rater(self, request: Request) -> Rater:
        """The rater whose session it is; Denied if there is none or it was revoked."""
        cookie = request.cookies.get(f"rater_{self.study}", "")
        value = unsigned(self.secret, "rater", cookie)
        if value is None:
            raise Denied(403, "no_session")
        number, _, rest = value.partition("-")
        rater = self.store.rater(int(number))
        if rater is None or rest.partition("-")[0] != str(rater.generation):
            raise Denied(403, "no_session")
        return rater

    def check_owner(self, request: Request) -> None:
        """Raise Denied if the session is not the owner's."""
        if unsigned(self.secret, "owner", request.cookies.get(f"owner_{self.study}", "")) is None:
            raise Denied(403, "not_owner")

    def csrf(self, request: Request, *, owner: bool = False) -> str:
        """Token that forms of this session must post back; empty without a session."""
        cookie = request.cookies.get(f"{'owner' if owner else 'rater'}_{self.study}", "")
        return csrf_token(self.secret, cookie) if cookie else ""

    def check_csrf(self, request: Request, posted: str | None, *, owner: bool = False) -> None:
        """Raise Denied if a form was not made for this session."""
        given = request.headers.get("x-csrf-token") or posted or ""
        expected = self.csrf(request, owner=owner)
        elsewhere = request.headers.get("sec-fetch-site") == "cross-site"
        if not expected or elsewhere or not same(given, expected):
            raise Denied(403, "csrf")

    def _set(self, request: Request, response: Response, name: str, value: str) -> None:
        response.set_cookie(
            name,
            value,
            max_age=90 * 24 * 3600,
            path=f"{self.prefix}/",
            httponly=True,
            secure=self.framed or self.secure or request.url.scheme == "https",
            samesite="none" if self.framed else "lax",
        )
