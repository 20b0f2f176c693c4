"""Invitations: raters of a study in its store, and the tokens of their links."""

from __future__ import annotations

from typing import NamedTuple

from dialeval.annotation.project import Project
from dialeval.annotation.store.store import Store
from dialeval.annotation.tokens import entry_token, hashed, owner_token, rater_token


class Invitation(NamedTuple):
    """A rater, and what stands in their link."""

    rater: str
    token: str

    @property
    def path(self) -> str:
        """The link below the study's address."""
        return f"/r/{self.token}"


def invite(project: Project, store: Store, name: str) -> Invitation:
    """Invite a rater; one who was revoked gets a new link. The store holds the token's hash alone."""
    rater = store.add_rater(name)
    if rater.state == "revoked":
        store.reinstate(rater)
    token = rater_token(project.secret, rater.name, rater.generation)
    if rater.token_hash != hashed(token):
        store.set_token(rater, hashed(token))
    return Invitation(rater.name, token)


def invite_all(project: Project, store: Store) -> list[Invitation]:
    """The invitations of all raters of the study who were not revoked, those of the owner's page included."""
    known = [rater for rater in store.raters() if rater.origin == "invited"]
    revoked = {rater.name for rater in known if rater.state == "revoked"}
    names = dict.fromkeys((*project.settings.raters, *(rater.name for rater in known)))
    return [invite(project, store, name) for name in names if name not in revoked]


def owner_path(project: Project) -> str:
    """The owner's link below the study's address."""
    return f"/o/{owner_token(project.secret)}"


def crowd_path(project: Project) -> str | None:
    """The link to give to a crowd platform, with the parameters it fills in; None where none is configured."""
    crowd = project.settings.crowd
    if crowd is None:
        return None
    token = entry_token(project.secret, crowd.platform)
    if crowd.platform == "mturk":
        return f"/mturk/{token}"
    parameters = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    return f"/prolific/{token}?{parameters}"
