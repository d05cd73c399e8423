"""OpenEnv's websocket messages: JSON text frames, one answer to each request, in order, without ids."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from openenv_bridge.mask import EpisodeFailed, Failure, Unavailable

LIST_TOOLS = b'{"type":"step","data":{"type":"list_tools"}}'
CLOSE = b'{"type":"close"}'


@dataclass(slots=True)
class Answer:
    """An observation. ``failure`` is the environment's own error that ended the episode, in its words."""

    observation: Mapping[str, Any]
    reward: float | None
    done: bool
    metadata: Mapping[str, Any]
    frame: bytes

    def exact(self) -> Mapping[str, Any]:
        """The observation again, read by the standard library: slower, but integers beyond 64 bits stay integers."""
        return json.loads(self.frame)["data"]["observation"]

    @property
    def failure(self) -> str | None:
        if self.metadata.get("status") != "error":
            return None
        return str(self.metadata.get("error") or "the environment gave no reason")


class ErrorFrame(Exception):
    """The environment raised, or found the message invalid. The session goes on: the model may read it."""

    def __init__(self, message: str, errors: list[Any]) -> None:
        super().__init__(message)
        self.message, self.errors = message, errors


class ServerFull(Exception):
    """All of the server's sessions are taken. ``max_sessions`` is None where it doesn't say how many there are."""

    def __init__(self, max_sessions: int | None) -> None:
        super().__init__("the OpenEnv server has no free session")
        self.max_sessions = max_sessions


def reset(arguments: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"type": "reset", "data": arguments})


def step(action: bytes) -> bytes:
    """``action`` is valid JSON, and goes out byte for byte."""
    return b'{"type":"step","data":%b}' % action


def call_tool(name: str, arguments: bytes) -> bytes:
    """``arguments`` is valid JSON, and goes out byte for byte: no number is rewritten, and nothing is added."""
    return b'{"type":"step","data":{"type":"call_tool","tool_name":%b,"arguments":%b}}' % (string(name), arguments)


def string(text: str) -> bytes:
    return orjson.dumps(utf8(text))


def utf8(text: str) -> str:
    """``text`` without lone surrogates: JSON can hold them, UTF-8 can't."""
    return text.encode("utf-8", "replace").decode()


def is_json(body: bytes) -> bool:
    try:
        loads(body)
    except ValueError:
        return False
    return True


def loads(text: bytes) -> Any:
    """JSON as orjson reads it, else as the standard library does (lone surrogates, NaN). Raises ValueError."""
    try:
        return orjson.loads(text)
    except ValueError:
        try:
            return json.loads(text.decode())
        except RecursionError as e:
            raise ValueError("nested too deeply") from e


def parse(frame: bytes) -> Answer:
    """Raises ErrorFrame, ServerFull, or a Failure for a frame that ends the episode."""
    try:
        message = loads(frame)
        kind, data = message["type"], message["data"]
        if kind == "observation":
            return _answer(data, frame)
        if kind == "error":
            raise _error(data)
    except (ValueError, TypeError, KeyError, AttributeError) as e:
        raise EpisodeFailed("the server answered with something that is no OpenEnv message") from e
    raise EpisodeFailed(f"the server answered with a message of the type {str(kind)[:40]!r}")


def _answer(data: Mapping[str, Any], frame: bytes) -> Answer:
    observation = data["observation"]
    if not isinstance(observation, Mapping):
        raise TypeError("an observation is an object")
    reward = data.get("reward")
    metadata = data.get("metadata") or observation.get("metadata")
    return Answer(
        observation,
        float(reward) if isinstance(reward, int | float) and math.isfinite(reward) else None,
        bool(data.get("done")),
        metadata if isinstance(metadata, Mapping) else {},
        frame,
    )


def _error(data: Mapping[str, Any]) -> Exception:
    code, message = data.get("code"), str(data.get("message") or "the environment gave no reason")
    if code == "CAPACITY_REACHED":
        limit = data.get("max_sessions")
        return ServerFull(limit if isinstance(limit, int) else None)
    if code in ("EXECUTION_ERROR", "VALIDATION_ERROR"):
        errors = data.get("errors")
        return ErrorFrame(message, errors if isinstance(errors, list) else [])
    failure: type[Failure] = Unavailable if code == "FACTORY_ERROR" else EpisodeFailed
    return failure(f"the server ended the session: {message} ({code})")
