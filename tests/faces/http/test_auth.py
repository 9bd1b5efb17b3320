"""Tokens, sessions and guesses."""

import json
import os
from pathlib import Path

import pytest

from recollect.core.errors import ConfigError
from recollect.faces.http.auth import (
    RELOAD_INTERVAL_SECONDS,
    LoginThrottle,
    RevokedSessions,
    Role,
    Sessions,
    TokenFile,
    Tokens,
    load_tokens,
)

TOKENS = Tokens("the-operators-token-0123456789", "a-readers-token-0123456789")


class Seconds:
    """A clock of plain seconds that moves when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_tokens_are_made_once_and_only_their_owner_may_read_them(tmp_path: Path):
    path = tmp_path / "data" / "tokens.json"
    first, made = load_tokens(path)
    again, made_again = load_tokens(path)
    assert (made, made_again, first) == (True, False, again)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len({first.operator, first.reader, first.metrics}) == 3
    assert min(len(first.operator), len(first.reader), len(first.metrics)) >= 32


def test_a_chosen_token_replaces_the_operators_and_has_to_be_long(tmp_path: Path):
    path = tmp_path / "tokens.json"
    made, _ = load_tokens(path)
    chosen, _ = load_tokens(path, "my-own-operator-token")
    assert (chosen.operator, chosen.reader) == ("my-own-operator-token", made.reader)
    with pytest.raises(ConfigError, match="fewer than 16"):
        load_tokens(path, "short")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"operator": "x", "reader": "y"}', "\x00", '{"operator": null}'])
def test_a_file_that_holds_no_tokens_is_refused_and_named(tmp_path: Path, text: str):
    path = tmp_path / "tokens.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"tokens\.json"):
        load_tokens(path)


def test_tokens_never_show_in_a_repr():
    assert TOKENS.operator not in repr(TOKENS)
    assert TOKENS.reader not in f"{TOKENS}"


def test_each_token_has_its_role_and_others_have_none():
    assert TOKENS.role(TOKENS.operator) is Role.OPERATOR
    assert TOKENS.role(TOKENS.reader) is Role.READER
    for wrong in ("", "x", TOKENS.operator[:-1], TOKENS.operator + " ", "ü" * 30):
        assert TOKENS.role(wrong) is None


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(lambda: TOKENS, 60, RevokedSessions(tmp_path))


def test_a_session_lasts_for_its_time_and_can_not_be_made_up(tmp_path: Path):
    clock = Seconds()
    sessions = Sessions(lambda: TOKENS, 60, RevokedSessions(tmp_path), clock)
    session, cookie = sessions.begin(Role.READER)
    assert sessions.read(cookie) == session
    for wrong in ("", ".", "...", cookie[:-1], cookie.replace("reader", "operator"), "ü.ü.ü.ü", cookie + ".x"):
        assert sessions.read(wrong) is None
    clock.now += 61
    assert sessions.read(cookie) is None


def test_a_session_that_was_ended_is_over_in_all_processes_and_forgotten_when_its_time_has_come(tmp_path: Path):
    clock, folder = Seconds(), tmp_path / "ended"
    one, other = (Sessions(lambda: TOKENS, 60, RevokedSessions(folder, clock), clock) for _ in range(2))
    (first, cookie), (second, another) = one.begin(Role.OPERATOR), one.begin(Role.OPERATOR)
    assert other.read(cookie) == first
    one.end(first)
    one.end(first)
    assert (one.read(cookie), other.read(cookie), other.read(another)) == (None, None, second)
    assert folder.stat().st_mode & 0o777 == 0o700
    clock.now += 61
    late, _ = other.begin(Role.READER)
    other.end(late)
    assert len(list(folder.iterdir())) == 1


def test_a_session_ends_here_even_when_that_can_not_be_written_down(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "file").touch()
    sessions = Sessions(lambda: TOKENS, 60, RevokedSessions(tmp_path / "file"))
    session, cookie = sessions.begin(Role.OPERATOR)
    sessions.end(session)
    assert sessions.read(cookie) is None
    assert "only this process" in caplog.text


def write_tokens(path: Path, operator: str) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"operator": operator, "reader": TOKENS.reader}))
    new.replace(path)


def test_new_tokens_in_the_file_count_at_once_and_end_all_sessions(tmp_path: Path):
    clock, path = Seconds(), tmp_path / "tokens.json"
    write_tokens(path, TOKENS.operator)
    tokens = TokenFile(path, clock=clock)
    sessions = Sessions(tokens, 60, RevokedSessions(tmp_path / "ended"))
    _, cookie = sessions.begin(Role.OPERATOR)
    write_tokens(path, "another-operators-token-01")
    assert sessions.read(cookie), "nobody looked yet"
    clock.now += RELOAD_INTERVAL_SECONDS
    assert tokens().role("another-operators-token-01") is Role.OPERATOR
    assert tokens().role(TOKENS.operator) is None
    assert sessions.read(cookie) is None


@pytest.mark.parametrize("text", [None, "", '{"operator": "x", "reader": "y"}'])
def test_a_file_of_tokens_that_is_spoilt_or_gone_changes_nothing(tmp_path: Path, text: str | None):
    clock, path = Seconds(), tmp_path / "tokens.json"
    write_tokens(path, TOKENS.operator)
    tokens = TokenFile(path, clock=clock)
    path.unlink()
    if text is not None:
        path.write_text(text)
    clock.now += RELOAD_INTERVAL_SECONDS
    assert tokens().role(TOKENS.operator) is Role.OPERATOR
    assert path.exists() is (text is not None), "and none is made"


def test_a_chosen_token_stays_when_the_file_changes(tmp_path: Path):
    clock, path = Seconds(), tmp_path / "tokens.json"
    write_tokens(path, TOKENS.operator)
    tokens = TokenFile(path, "my-own-operator-token", clock)
    write_tokens(path, "another-operators-token-01")
    clock.now += RELOAD_INTERVAL_SECONDS
    assert tokens().role("my-own-operator-token") is Role.OPERATOR


def test_a_form_token_belongs_to_one_session(sessions: Sessions):
    (one, _), (other, _) = sessions.begin(Role.OPERATOR), sessions.begin(Role.OPERATOR)
    assert sessions.is_form_token(one, sessions.form_token(one))
    assert not sessions.is_form_token(other, sessions.form_token(one))
    assert not sessions.is_form_token(one, "")


def test_each_wrong_token_after_a_few_doubles_the_wait_of_its_source_alone():
    clock = Seconds()
    throttle = LoginThrottle(free=3, longest=60, sources=3, clock=clock)
    assert [throttle.failed("192.0.2.1") for _ in range(11)] == [0, 0, 0, 2, 4, 8, 16, 32, 60, 60, 60]
    assert throttle.failed("192.0.2.2") == 0
    clock.now += 61
    assert throttle.failed("192.0.2.1") == 0
    throttle.succeeded("192.0.2.1")
    assert [throttle.failed("192.0.2.1") for _ in range(4)] == [0, 0, 0, 2]
    for number in range(3, 6):
        throttle.failed(f"192.0.2.{number}")
    assert throttle.failed("192.0.2.1") == 0, "only the latest sources are kept"


def test_the_network_of_one_customer_is_one_source():
    throttle = LoginThrottle(free=1)
    assert [throttle.failed(f"2001:db8:0:1::{number}") for number in range(1, 4)] == [0, 2, 4]
    assert throttle.failed("2001:db8:0:2::1") == 0
    assert throttle.failed("") == 0


def test_a_file_of_an_earlier_version_has_a_metrics_token_that_stays_the_same(tmp_path: Path):
    path = tmp_path / "tokens.json"
    write_tokens(path, TOKENS.operator)
    (first, _), (again, _) = load_tokens(path), load_tokens(path)
    assert first == again
    assert first.role(first.metrics) is Role.METRICS
    assert TOKENS.role("") is None, "no metrics token, and none is not one"
    path.write_text(json.dumps({"operator": "a" * 20, "reader": "b" * 20, "metrics": "a" * 20}))
    with pytest.raises(ConfigError, match="alike"):
        load_tokens(path)


@pytest.mark.skipif(os.name == "nt", reason="POSIX rights")
def test_two_processes_that_start_at_once_have_the_same_tokens(tmp_path: Path):
    path = tmp_path / "tokens.json"
    found = {load_tokens(path)[0] for _ in range(3)}
    assert len(found) == 1


@pytest.mark.parametrize("token", ["# for the REST API and the operator's page", "a long token with spaces"])
def test_a_comment_that_became_a_token_is_refused(tmp_path: Path, token: str):
    with pytest.raises(ConfigError, match="RECOLLECT_HTTP_TOKEN"):
        load_tokens(tmp_path / "tokens.json", token)
