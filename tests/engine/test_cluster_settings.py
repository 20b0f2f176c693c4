"""The environment that Ray is given."""

from __future__ import annotations

import pytest

from dialeval.engine.cluster_settings import EMBEDDED, prepare_environment, settings_for


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_an_embedded_cluster_has_a_token_of_its_own():
    first, second = settings_for(EMBEDDED, {}), settings_for(EMBEDDED, {})
    assert first["RAY_AUTH_MODE"] == "token"
    assert len(first["RAY_AUTH_TOKEN"]) == 64
    assert first["RAY_AUTH_TOKEN"] != second["RAY_AUTH_TOKEN"]


@pytest.mark.parametrize(
    "known", [{"RAY_AUTH_MODE": "disabled"}, {"RAY_AUTH_TOKEN": "x" * 64}, {"RAY_AUTH_TOKEN_PATH": "token"}]
)
def test_what_the_user_says_stays(known):
    assert not any("AUTH" in name for name in settings_for(EMBEDDED, known))
    assert settings_for(EMBEDDED, {"RAY_task_oom_retries": "9"}).keys().isdisjoint({"RAY_task_oom_retries"})


def test_a_cluster_by_address_is_asked_with_the_users_token_where_there_is_one(home):
    assert "RAY_AUTH_MODE" not in settings_for("10.0.0.1:6379", {})
    assert settings_for("10.0.0.1:6379", {"RAY_AUTH_TOKEN_PATH": "token"})["RAY_AUTH_MODE"] == "token"
    (home / ".ray").mkdir()
    (home / ".ray" / "auth_token").write_text("x" * 64)
    told = settings_for("10.0.0.1:6379", {})
    assert (told["RAY_AUTH_MODE"], "RAY_AUTH_TOKEN" in told) == ("token", False)
    assert "RAY_AUTH_MODE" not in settings_for("10.0.0.1:6379", {"RAY_AUTH_MODE": "disabled"})


def test_the_token_of_an_embedded_cluster_is_not_sent_to_another_one():
    environment = {"PATH": "/bin"}
    prepare_environment(EMBEDDED, environment)
    token = environment["RAY_AUTH_TOKEN"]
    prepare_environment("10.0.0.1:6379", environment)
    assert not any("AUTH" in name for name in environment)
    prepare_environment(EMBEDDED, environment)
    prepare_environment(EMBEDDED, environment)
    assert environment["RAY_AUTH_TOKEN"] not in ("", token)
    again = dict(environment)
    prepare_environment(EMBEDDED, environment)
    assert environment == again


def test_the_users_token_stays():
    environment = {"RAY_AUTH_TOKEN": "mine"}
    for address in (EMBEDDED, "10.0.0.1:6379", EMBEDDED):
        prepare_environment(address, environment)
        assert environment["RAY_AUTH_TOKEN"] == "mine"


def test_nobody_has_to_have_a_home(monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", lambda _: (_ for _ in ()).throw(KeyError("no such user")))
    assert "RAY_AUTH_MODE" not in settings_for("10.0.0.1:6379", {})


def test_a_silent_node_of_a_cluster_by_address_is_asked_no_more_often_than_ray_allows():
    """Ray's servers close connections that ask more often than once a minute, and so would end long batches."""
    told = settings_for("10.0.0.1:6379", {})
    assert int(told["RAY_grpc_client_keepalive_time_ms"]) > 60_000
    assert int(told["RAY_grpc_client_keepalive_timeout_ms"]) <= 20_000
    own = {"RAY_grpc_client_keepalive_time_ms": "300000"}
    assert own.keys().isdisjoint(settings_for("10.0.0.1:6379", own))
