"""The body of /verify, as it came: it is given back with the verdict in it, and only what is needed is looked at.

Gym's own model of the body (``BaseVerifyRequest``) is not run over it. The agent that sent it validated it, and will
validate the answer; doing it here would cost more than all the rest of /verify.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from openenv_bridge import wire


def request_of(body: bytes) -> dict[str, Any] | None:
    """The verify request in ``body``, or None where it is something else: a model may call a tool "verify"."""
    try:
        request = wire.loads(body)
    except ValueError:
        return None
    if not isinstance(request, dict) or not isinstance(request.get("responses_create_params"), dict):
        return None
    response = request.get("response")
    return request if isinstance(response, dict) and isinstance(response.get("output"), list) else None


def last_reply(request: Mapping[str, Any]) -> str:
    """The text of the model's last message, "" where it never said anything."""
    for item in reversed(request["response"]["output"]):
        if isinstance(item, dict) and item.get("type") == "message" and item.get("role") == "assistant":
            content = item.get("content")
            if isinstance(content, str):
                return content
            parts = content if isinstance(content, list) else []
            return "".join(
                part["text"]
                for part in parts
                if isinstance(part, dict) and part.get("type") == "output_text" and isinstance(part.get("text"), str)
            )
    return ""


def echo(request: Mapping[str, Any], fields: Mapping[str, Any], body: bytes) -> bytes:
    """The answer's body: the request, which came as ``body``, with the verdict's fields.

    NeMo RL (7ea279a) reads the mask in ``instance_config`` only, so it is there too, as NeMo Gym's ``judge_failsafe``
    has it.
    """
    added = dict(fields)
    if fields.get("mask_sample"):
        own = request.get("instance_config")
        added["instance_config"] = {**(own if isinstance(own, dict) else {}), "mask_sample": True}
    try:
        return orjson.dumps({**request, **added})
    except TypeError:  # an integer beyond 64 bits, a lone surrogate, or more levels than orjson writes
        # The request as it came, with the fields last: a key that is there twice has its last value.
        return body.rstrip()[:-1] + b"," + wire.dumps(added)[1:]
