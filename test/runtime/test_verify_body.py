"""The request and the response of /verify."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gymclient import response
from openenv_bridge.verify_body import last_reply, parse_verify_request, verify_response
from serving import row


def message(*texts: str, role: str = "assistant") -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "output_text", "text": text} for text in texts]}


def reply(*output: Any) -> str:
    return last_reply({"response": {"output": list(output)}})


def test_the_reply_is_the_text_of_the_last_message() -> None:
    call = {"type": "function_call", "name": "t", "arguments": "{}", "call_id": "1"}
    assert reply(message("first"), call, message("a", "b"), call) == "ab"


def test_the_reply_is_empty_if_the_model_wrote_no_message() -> None:
    assert reply() == ""
    assert reply({"type": "reasoning", "summary": []}, message("not mine", role="user")) == ""


def test_a_refusal_is_not_a_reply() -> None:
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
def test_arguments_for_a_tool_named_verify_are_not_a_verify_request(body: bytes) -> None:
    assert parse_verify_request(body) is None


def test_the_response_is_the_request_with_the_verdict() -> None:
    request = {**row(), "response": response([]), "_ng_task_index": 7}
    body = json.dumps(request).encode()
    assert json.loads(verify_response(request, {"reward": 1.0}, body)) == {**request, "reward": 1.0}


@pytest.mark.parametrize("odd", [2**70, "\ud83d", json.loads("[" * 3000 + "]" * 3000)], ids=["int", "str", "deep"])
def test_a_request_that_orjson_cannot_write_is_returned_unchanged(odd: Any) -> None:
    body = (
        b'{"a": 1, "odd": ' + (b"[" * 3000 + b"]" * 3000 if isinstance(odd, list) else json.dumps(odd).encode()) + b"}"
    )
    response_body = verify_response({"a": 1, "odd": odd}, {"reward": 1.0}, body)
    assert response_body.startswith(body[:-1])
    assert json.loads(response_body)["reward"] == 1.0


MASKED = {"reward": 0.0, "mask_sample": True}


@pytest.mark.parametrize(
    ("own", "returned"),
    [
        ({}, {"mask_sample": True}),
        ({"instance_config": {"a": 1, "mask_sample": False}}, {"a": 1, "mask_sample": True}),
        ({"instance_config": None}, {"mask_sample": True}),
    ],
)
def test_a_mask_is_in_the_instance_config_too_for_nemo_rl(own: Any, returned: Any) -> None:
    assert json.loads(verify_response(own, MASKED, json.dumps(own).encode()))["instance_config"] == returned


def test_a_scored_rollout_keeps_its_instance_config() -> None:
    fields = {"reward": 1.0, "mask_sample": False}
    assert "instance_config" not in json.loads(verify_response({}, fields, b"{}"))
    assert json.loads(verify_response({"instance_config": {"a": 1}}, fields, b"{}"))["instance_config"] == {"a": 1}
