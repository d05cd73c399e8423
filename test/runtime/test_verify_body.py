"""The body of /verify."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gymclient import response
from openenv_bridge.verify import echo, last_reply, request_of
from serving import row


def message(*texts: str, role: str = "assistant") -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "output_text", "text": text} for text in texts]}


def reply(*output: Any) -> str:
    return last_reply({"response": {"output": list(output)}})


def test_the_reply_is_the_text_of_the_last_message() -> None:
    call = {"type": "function_call", "name": "t", "arguments": "{}", "call_id": "1"}
    assert reply(message("first"), call, message("a", "b"), call) == "ab"


def test_a_model_that_said_nothing_replies_with_nothing() -> None:
    assert reply() == ""
    assert reply({"type": "reasoning", "summary": []}, message("not mine", role="user")) == ""


def test_a_refusal_is_no_text() -> None:
    assert reply({"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}) == ""


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"answer": 42}',
        b'{"response": {"output": []}}',
        b"{",
        b'{"responses_create_params": {}}',
        b'{"responses_create_params": {}, "response": {"output": {}}}',
    ],
)
def test_what_a_model_says_to_a_tool_named_verify_is_no_verify_request(body: bytes) -> None:
    assert request_of(body) is None


def test_the_answer_is_the_request_with_the_verdict() -> None:
    request = {**row(), "response": response([]), "_ng_task_index": 7}
    body = json.dumps(request).encode()
    assert json.loads(echo(request, {"reward": 1.0}, body)) == {**request, "reward": 1.0}


@pytest.mark.parametrize("odd", [2**70, "\ud83d", json.loads("[" * 3000 + "]" * 3000)], ids=["int", "str", "deep"])
def test_a_request_that_is_hard_to_write_comes_back_as_it_came(odd: Any) -> None:
    body = (
        b'{"a": 1, "odd": ' + (b"[" * 3000 + b"]" * 3000 if isinstance(odd, list) else json.dumps(odd).encode()) + b"}"
    )
    echoed = echo({"a": 1, "odd": odd}, {"reward": 1.0}, body)
    assert echoed.startswith(body[:-1])
    assert json.loads(echoed)["reward"] == 1.0


MASKED = {"reward": 0.0, "mask_sample": True}


@pytest.mark.parametrize(
    ("own", "echoed"),
    [
        ({}, {"mask_sample": True}),
        ({"instance_config": {"a": 1, "mask_sample": False}}, {"a": 1, "mask_sample": True}),
        ({"instance_config": None}, {"mask_sample": True}),
    ],
)
def test_a_mask_is_in_the_instance_config_too_where_nemo_rl_reads_it(own: Any, echoed: Any) -> None:
    assert json.loads(echo(own, MASKED, json.dumps(own).encode()))["instance_config"] == echoed


def test_a_scored_rollout_keeps_its_instance_config() -> None:
    fields = {"reward": 1.0, "mask_sample": False}
    assert "instance_config" not in json.loads(echo({}, fields, b"{}"))
    assert json.loads(echo({"instance_config": {"a": 1}}, fields, b"{}"))["instance_config"] == {"a": 1}
