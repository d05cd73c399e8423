"""OpenEnv's WebSocket messages: JSON text frames without ids, one response per request, in order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openenv_bridge.json_codec import (
    MAX_VALUES,
    abbreviate,
    dump_string,
    dumps,
    finite,
    has_too_many_values,
    loads,
)
from openenv_bridge.mask import EpisodeFailed, Failure, ProviderUnavailable

LIST_TOOLS = b'{"type":"step","data":{"type":"list_tools"}}'
CLOSE = b'{"type":"close"}'

MAX_REQUEST = 16 * 1024 * 1024  # bytes; an OpenEnv server ends the session over more (uvicorn's default limit)
MAX_NOTICE = 64 * 1024  # bytes

# Errors that a server may send before it has answered the reset. OpenEnv's ``WSErrorCode``.
NOTICE_CODES = frozenset({"CAPACITY_REACHED", "FACTORY_ERROR", "SESSION_ERROR"})
# Errors after which the session continues. The model reads them.
RECOVERABLE_CODES = frozenset({"EXECUTION_ERROR", "VALIDATION_ERROR", "INVALID_JSON"})

_LONG_INTEGER = re.compile(rb"\d{19}")  # may exceed 64 bits; orjson would read a float


@dataclass(slots=True)
class StepResult:
    """The response to a reset or a step.

    ``reward`` is None if the server sent none, or one that is not a finite number. In the second case
    ``invalid_reward`` has the server's value as text.
    """

    observation: Mapping[str, Any]
    reward: float | None
    done: bool
    metadata: Mapping[str, Any]
    frame: bytes
    invalid_reward: str | None = None

    def exact_observation(self) -> Mapping[str, Any]:
        """The observation with integers beyond 64 bits intact, which takes a second, slower parse."""
        if not _LONG_INTEGER.search(self.frame):
            return self.observation
        return json.loads(self.frame)["data"]["observation"]

    @property
    def failure(self) -> str | None:
        """The environment's own error message. The episode has ended only if ``done`` is true."""
        if self.metadata.get("status") != "error":
            return None
        return str(self.metadata.get("error") or "the environment gave no reason")


class ErrorFrame(Exception):
    """The environment raised an exception or rejected the message. The session continues."""

    def __init__(self, message: str, errors: list[Any]) -> None:
        super().__init__(message)
        self.message, self.errors = message, errors


class ServerFull(Exception):
    """All sessions of the server are in use. ``max_sessions`` is None if the server does not report it."""

    def __init__(self, max_sessions: int | None) -> None:
        super().__init__("the OpenEnv server has no free session")
        self.max_sessions = max_sessions


def reset(arguments: Mapping[str, Any]) -> bytes:
    """Build a reset request."""
    return b'{"type":"reset","data":%b}' % dumps(arguments)


def step(action: bytes) -> bytes:
    """Build a step request. ``action`` is valid JSON and is sent byte for byte."""
    return b'{"type":"step","data":%b}' % action


def call_tool(name: str, arguments: bytes) -> bytes:
    """Build a tool call. ``arguments`` is valid JSON and is sent byte for byte, so no number changes."""
    return b'{"type":"step","data":{"type":"call_tool","tool_name":%b,"arguments":%b}}' % (dump_string(name), arguments)


def parse(frame: bytes) -> StepResult:
    """Parse a response. Raises ErrorFrame, ServerFull, or a Failure if the frame ends the episode."""
    if has_too_many_values(frame):
        raise EpisodeFailed(f"the server's response has more than {MAX_VALUES} JSON values")
    try:
        message = loads(frame)
        kind, data = message["type"], message["data"]
        if kind == "observation":
            return _step_result(data, frame)
        if kind == "error":
            raise _error(data)
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as e:
        raise EpisodeFailed("the server's response is not an OpenEnv message") from e
    raise EpisodeFailed(f"the server's response has the unknown type {str(kind)[:40]!r}")


def parse_notice(frame: bytes) -> Exception | None:
    """Return the error of a frame that reports that there is no session, or None for any other frame."""
    if len(frame) > MAX_NOTICE:
        return None
    try:
        message = loads(frame)
        is_notice = message["type"] == "error" and message["data"].get("code") in NOTICE_CODES
        return _error(message["data"]) if is_notice else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def is_response(frame: bytes) -> bool:
    """Whether ``frame`` is a response to some request. A long frame is taken for one without parsing it."""
    if len(frame) > MAX_NOTICE:
        return True
    try:
        return loads(frame)["type"] in ("observation", "error")
    except (ValueError, TypeError, KeyError):
        return False


def _step_result(data: Mapping[str, Any], frame: bytes) -> StepResult:
    observation = data["observation"]
    if not isinstance(observation, Mapping):
        raise TypeError("observation must be an object")
    done = data.get("done")
    if done not in (True, False, None):
        raise TypeError("done must be a boolean")  # the string "false" would end the episode
    raw_reward = data.get("reward")
    reward = finite(raw_reward)
    metadata = data.get("metadata") or observation.get("metadata")
    return StepResult(
        observation,
        reward,
        bool(done),
        metadata if isinstance(metadata, Mapping) else {},
        frame,
        None if raw_reward is None or reward is not None else abbreviate(raw_reward),
    )


def _error(data: Mapping[str, Any]) -> Exception:
    code, message = data.get("code"), str(data.get("message") or "the environment gave no reason")
    if code == "CAPACITY_REACHED":
        limit = data.get("max_sessions")
        return ServerFull(limit if isinstance(limit, int) else None)
    if code in RECOVERABLE_CODES:
        errors = data.get("errors")
        return ErrorFrame(message, errors if isinstance(errors, list) else [])
    failure: type[Failure] = ProviderUnavailable if code == "FACTORY_ERROR" else EpisodeFailed
    return failure(f"the server ended the session: {message} ({code})")
