"""OpenEnv's frames."""

from __future__ import annotations

import json
from typing import Any

import pytest

from openenv_bridge import wire
from openenv_bridge.mask import EpisodeFailed, Unavailable


def frame(kind: str, data: Any) -> bytes:
    return json.dumps({"type": kind, "data": data}).encode()


def test_arguments_go_out_byte_for_byte() -> None:
    body = b'{"n": 9223372036854775808, "x": 1.0, "same": 1, "same": 2, "s": "\\ud83d"}'
    sent = wire.call_tool("a tool", body)
    assert body in sent
    assert json.loads(sent)["data"]["tool_name"] == "a tool"


@pytest.mark.parametrize(
    "body", [b'{}}, "x": {', b"{", b"\xff", b"", b'{"a":1} {}', "{}".encode("utf-16"), b"[" * 10**5]
)
def test_a_body_that_is_no_json_is_not_taken_for_arguments(body: bytes) -> None:
    assert not wire.is_json(body)


@pytest.mark.parametrize(
    "body", [b"null", b"[]", b"0", b'""', b'{"a":NaN}', b'{"s":"\\ud83d"}', b"18446744073709551617"]
)
def test_any_json_is_taken_for_arguments(body: bytes) -> None:
    assert wire.is_json(body)


def test_metadata_is_found_beside_or_in_the_observation() -> None:
    inside = wire.parse(frame("observation", {"observation": {"metadata": {"a": 1}}, "reward": 1, "done": False}))
    beside = wire.parse(frame("observation", {"observation": {}, "metadata": {"a": 1}, "reward": 1, "done": False}))
    assert inside.metadata == beside.metadata == {"a": 1}


@pytest.mark.parametrize(
    ("sent", "reward", "unreadable"),
    [
        (1, 1.0, None),
        (0.25, 0.25, None),
        (True, 1.0, None),
        (None, None, None),
        ("1", None, '"1"'),
        ([1], None, "[1]"),
        (float("nan"), None, "NaN"),
        (float("-inf"), None, "-Infinity"),
        (10**400, None, "1" + 58 * "0" + "…"),
    ],
)
def test_a_reward_is_a_finite_number_or_said_to_be_none(sent: Any, reward: float | None, unreadable: str) -> None:
    read = wire.parse(frame("observation", {"observation": {}, "reward": sent, "done": True}))
    assert (read.reward, read.unreadable_reward) == (reward, unreadable)


def test_a_failure_is_told_by_the_metadatas_status() -> None:
    data = {
        "observation": {},
        "reward": None,
        "done": True,
        "metadata": {"status": "error", "error": "the deploy failed"},
    }
    assert wire.parse(frame("observation", data)).failure == "the deploy failed"
    assert wire.parse(frame("observation", {"observation": {}, "done": True})).failure is None


@pytest.mark.parametrize("code", ["EXECUTION_ERROR", "VALIDATION_ERROR", "INVALID_JSON"])
def test_errors_of_a_call_are_the_models_to_read(code: str) -> None:
    with pytest.raises(wire.ErrorFrame, match="it exploded"):
        wire.parse(frame("error", {"message": "it exploded", "code": code}))


@pytest.mark.parametrize(
    ("data", "raised"),
    [
        ({"message": "full", "code": "CAPACITY_REACHED", "max_sessions": 2}, wire.ServerFull),
        ({"message": "no factory", "code": "FACTORY_ERROR"}, Unavailable),
        ({"message": "it broke", "code": "SESSION_ERROR"}, EpisodeFailed),
        ({"message": "it broke"}, EpisodeFailed),
    ],
)
def test_other_error_frames_end_the_episode(data: dict[str, Any], raised: type[Exception]) -> None:
    with pytest.raises(raised):
        wire.parse(frame("error", data))


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"<html>",
        b"[]",
        b"1",
        b"{}",
        b'{"type":"observation"}',
        b'{"type":"observation","data":{"observation":[]}}',
        frame("state", {}),
        frame("error", None),
        frame("observation", None),
        b"\xff",
    ],
)
def test_what_is_no_openenv_message_ends_the_episode(garbage: bytes) -> None:
    with pytest.raises(EpisodeFailed):
        wire.parse(garbage)


def values(count: int) -> bytes:
    return b"[" + b",".join([b"[]"] * count) + b"]"


@pytest.mark.parametrize(
    ("text", "too_many"),
    [
        (values(wire.MOST_VALUES // 2 - 1), False),
        (values(wire.MOST_VALUES), True),
        (b'["' + b"a,[" * wire.MOST_VALUES + b'"]', False),
        (b'["' + rb"\",[" * wire.MOST_VALUES + b'"]', False),
        (b'["' + rb"\"" * wire.MOST_VALUES, False),
        (b"", False),
    ],
    ids=["few", "many", "a text of commas", "a text of quotes", "a text without an end", "nothing"],
)
def test_values_are_counted_without_parsing_and_texts_are_one(text: bytes, too_many: bool) -> None:
    assert wire.has_too_many_values(text) is too_many


def test_an_answer_of_too_many_values_ends_the_episode() -> None:
    with pytest.raises(EpisodeFailed, match="more than 1000000 JSON values"):
        wire.parse(b'{"type":"observation","data":{"observation":{"x":%b}}}' % values(wire.MOST_VALUES))


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30, 5])
def test_integers_of_any_size_stay_integers(number: int) -> None:
    read = wire.parse(frame("observation", {"observation": {"n": number}}))
    assert read.exact() == {"n": number}
    assert isinstance(read.exact()["n"], int)


def test_a_notice_is_told_by_its_code() -> None:
    full = {"message": "full", "code": "CAPACITY_REACHED", "max_sessions": 2}
    assert isinstance(wire.notice(frame("error", full)), wire.ServerFull)
    assert isinstance(wire.notice(frame("error", {"code": "FACTORY_ERROR"})), Unavailable)
    for other in (b"<html>", frame("error", {"code": "EXECUTION_ERROR"}), frame("observation", full), b"[]", b"null"):
        assert wire.notice(other) is None


@pytest.mark.parametrize("done", ['"false"', '"true"', "[]", "{}", "2"])
def test_an_end_that_is_not_true_or_false_is_not_guessed(done: str) -> None:
    with pytest.raises(EpisodeFailed, match="not an OpenEnv message"):
        wire.parse(b'{"type":"observation","data":{"observation":{},"reward":1,"done":%b}}' % done.encode())


@pytest.mark.parametrize(("done", "ended"), [("true", True), ("false", False), ("null", False)])
def test_an_end_is_true_false_or_not_given(done: str, ended: bool) -> None:
    answer = wire.parse(b'{"type":"observation","data":{"observation":{},"reward":1,"done":%b}}' % done.encode())
    assert answer.done is ended
