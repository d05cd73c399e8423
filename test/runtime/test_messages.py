"""OpenEnv's messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from openenv_bridge import messages
from openenv_bridge.json_codec import MAX_VALUES, has_too_many_values, loads
from openenv_bridge.mask import EpisodeFailed, ProviderUnavailable


def frame(kind: str, data: Any) -> bytes:
    return json.dumps({"type": kind, "data": data}).encode()


def test_arguments_are_sent_byte_for_byte() -> None:
    body = b'{"n": 9223372036854775808, "x": 1.0, "same": 1, "same": 2, "s": "\\ud83d"}'
    sent = messages.call_tool("a tool", body)
    assert body in sent
    assert json.loads(sent)["data"]["tool_name"] == "a tool"


@pytest.mark.parametrize(
    "body", [b'{}}, "x": {', b"{", b"\xff", b"", b'{"a":1} {}', "{}".encode("utf-16"), b"[" * 10**5]
)
def test_a_body_that_is_not_json_is_rejected(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- any parser's message
        loads(body)


@pytest.mark.parametrize(
    "body", [b"null", b"[]", b"0", b'""', b'{"a":NaN}', b'{"s":"\\ud83d"}', b"18446744073709551617"]
)
def test_any_json_is_accepted(body: bytes) -> None:
    loads(body)


def test_metadata_can_be_beside_or_inside_the_observation() -> None:
    inside = messages.parse(frame("observation", {"observation": {"metadata": {"a": 1}}, "reward": 1, "done": False}))
    beside = messages.parse(frame("observation", {"observation": {}, "metadata": {"a": 1}, "reward": 1, "done": False}))
    assert inside.metadata == beside.metadata == {"a": 1}


@pytest.mark.parametrize(
    ("sent", "reward", "invalid"),
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
def test_a_reward_is_a_finite_number_or_invalid(sent: Any, reward: float | None, invalid: str) -> None:
    read = messages.parse(frame("observation", {"observation": {}, "reward": sent, "done": True}))
    assert (read.reward, read.invalid_reward) == (reward, invalid)


def test_a_failure_is_recognized_by_the_status_in_the_metadata() -> None:
    data = {
        "observation": {},
        "reward": None,
        "done": True,
        "metadata": {"status": "error", "error": "the deploy failed"},
    }
    assert messages.parse(frame("observation", data)).failure == "the deploy failed"
    assert messages.parse(frame("observation", {"observation": {}, "done": True})).failure is None


@pytest.mark.parametrize("code", ["EXECUTION_ERROR", "VALIDATION_ERROR", "INVALID_JSON"])
def test_errors_of_a_call_are_for_the_model(code: str) -> None:
    with pytest.raises(messages.ErrorFrame, match="it exploded"):
        messages.parse(frame("error", {"message": "it exploded", "code": code}))


@pytest.mark.parametrize(
    ("data", "raised"),
    [
        ({"message": "full", "code": "CAPACITY_REACHED", "max_sessions": 2}, messages.ServerFull),
        ({"message": "no factory", "code": "FACTORY_ERROR"}, ProviderUnavailable),
        ({"message": "it broke", "code": "SESSION_ERROR"}, EpisodeFailed),
        ({"message": "it broke"}, EpisodeFailed),
    ],
)
def test_other_error_frames_end_the_episode(data: dict[str, Any], raised: type[Exception]) -> None:
    with pytest.raises(raised):
        messages.parse(frame("error", data))


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
def test_a_frame_that_is_not_an_openenv_message_ends_the_episode(garbage: bytes) -> None:
    with pytest.raises(EpisodeFailed):
        messages.parse(garbage)


def values(count: int) -> bytes:
    return b"[" + b",".join([b"[]"] * count) + b"]"


@pytest.mark.parametrize(
    ("text", "too_many"),
    [
        (values(MAX_VALUES // 2 - 1), False),
        (values(MAX_VALUES), True),
        (b'["' + b"a,[" * MAX_VALUES + b'"]', False),
        (b'["' + rb"\",[" * MAX_VALUES + b'"]', False),
        (b'["' + rb"\"" * MAX_VALUES, False),
        (b"", False),
    ],
    ids=["few", "many", "a text of commas", "a text of quotes", "a text without an end", "nothing"],
)
def test_values_are_counted_without_parsing_and_a_string_is_one_value(text: bytes, too_many: bool) -> None:
    assert has_too_many_values(text) is too_many


def test_a_response_with_too_many_values_ends_the_episode() -> None:
    with pytest.raises(EpisodeFailed, match="more than 1000000 JSON values"):
        messages.parse(b'{"type":"observation","data":{"observation":{"x":%b}}}' % values(MAX_VALUES))


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30, 5])
def test_integers_of_any_size_stay_integers(number: int) -> None:
    read = messages.parse(frame("observation", {"observation": {"n": number}}))
    assert read.exact_observation() == {"n": number}
    assert isinstance(read.exact_observation()["n"], int)


def test_a_notice_is_recognized_by_its_code() -> None:
    full = {"message": "full", "code": "CAPACITY_REACHED", "max_sessions": 2}
    assert isinstance(messages.parse_notice(frame("error", full)), messages.ServerFull)
    assert isinstance(messages.parse_notice(frame("error", {"code": "FACTORY_ERROR"})), ProviderUnavailable)
    for other in (b"<html>", frame("error", {"code": "EXECUTION_ERROR"}), frame("observation", full), b"[]", b"null"):
        assert messages.parse_notice(other) is None


@pytest.mark.parametrize("done", ['"false"', '"true"', "[]", "{}", "2"])
def test_done_must_be_a_boolean(done: str) -> None:
    with pytest.raises(EpisodeFailed, match="not an OpenEnv message"):
        messages.parse(b'{"type":"observation","data":{"observation":{},"reward":1,"done":%b}}' % done.encode())


@pytest.mark.parametrize(("done", "ended"), [("true", True), ("false", False), ("null", False)])
def test_done_can_be_missing(done: str, ended: bool) -> None:
    answer = messages.parse(b'{"type":"observation","data":{"observation":{},"reward":1,"done":%b}}' % done.encode())
    assert answer.done is ended
