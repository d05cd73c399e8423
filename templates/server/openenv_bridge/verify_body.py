"""Reads the request of /verify, and writes the response: the same JSON with the verdict added.

Gym's own model of the request (``BaseVerifyRequest``) is not used. The agent that sent the request has validated it and
will validate the response. Validating it here again would cost more than everything else in /verify.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from openenv_bridge.json_codec import dumps, loads


def parse_verify_request(body: bytes) -> dict[str, Any] | None:
    """Parse ``body``, or return None if it is not a verify request: a model may call a tool named "verify"."""
    try:
        request = loads(body)
    except ValueError:
        return None
    if not isinstance(request, dict) or not isinstance(request.get("responses_create_params"), dict):
        return None
    response = request.get("response")
    return request if isinstance(response, dict) and isinstance(response.get("output"), list) else None


def last_reply(request: Mapping[str, Any]) -> str:
    """Return the text of the model's last message, or an empty string if it wrote none."""
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


def verify_response(request: Mapping[str, Any], verdict: Mapping[str, Any], body: bytes) -> bytes:
    """Return the request, which was received as ``body``, with the fields of the verdict added.

    NeMo RL (7ea279a) reads the mask only from ``instance_config``, so the mask is added there too, as NeMo Gym's
    ``judge_failsafe`` does.
    """
    fields = dict(verdict)
    if verdict.get("mask_sample"):
        own = request.get("instance_config")
        fields["instance_config"] = {**(own if isinstance(own, dict) else {}), "mask_sample": True}
    try:
        return orjson.dumps({**request, **fields})
    except TypeError:  # an integer beyond 64 bits, a lone surrogate, or more levels than orjson writes
        # Append the fields to the original text: JSON parsers use the last value of a repeated key.
        return body.rstrip()[:-1] + b"," + dumps(fields)[1:]
