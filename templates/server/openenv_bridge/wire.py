"""OpenEnv's websocket messages: JSON text frames, one answer to each request, in order, without ids."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from openenv_bridge.mask import EpisodeFailed, Failure, Unavailable

LIST_TOOLS = b'{"type":"step","data":{"type":"list_tools"}}'
CLOSE = b'{"type":"close"}'

FRAME_LIMIT = 16 * 1024 * 1024  # bytes: an OpenEnv server drops the session over a larger request (uvicorn's default)
MOST_VALUES = 1_000_000  # JSON values in one message: each takes some 60 bytes of memory and is parsed in one go
NOTICE_LIMIT = 64 * 1024  # bytes of a server's notice

# What a server may say before it has answered the reset: there is no session. OpenEnv's ``WSErrorCode``.
NOTICES = frozenset({"CAPACITY_REACHED", "FACTORY_ERROR", "SESSION_ERROR"})
# The session goes on after these: the model reads them.
READABLE = frozenset({"EXECUTION_ERROR", "VALIDATION_ERROR", "INVALID_JSON"})

_LONG_INTEGER = re.compile(rb"\d{19}")  # may be beyond 64 bits, where orjson reads a float
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)', re.DOTALL)


@dataclass(slots=True)
class Answer:
    """An observation. ``reward`` is None if the server gave none, or one that is not a finite number; the latter is
    in ``unreadable_reward``, as the server wrote it."""

    observation: Mapping[str, Any]
    reward: float | None
    done: bool
    metadata: Mapping[str, Any]
    frame: bytes
    unreadable_reward: str | None = None

    def exact(self) -> Mapping[str, Any]:
        """The observation with integers beyond 64 bits as integers, which takes a second, slower parse."""
        if not _LONG_INTEGER.search(self.frame):
            return self.observation
        return json.loads(self.frame)["data"]["observation"]

    @property
    def failure(self) -> str | None:
        """The environment's own error, in its words. It ended the episode only if the answer is ``done``."""
        if self.metadata.get("status") != "error":
            return None
        return str(self.metadata.get("error") or "the environment gave no reason")


class ErrorFrame(Exception):
    """The environment raised, or found the message invalid. The session goes on: the model may read it."""

    def __init__(self, message: str, errors: list[Any]) -> None:
        super().__init__(message)
        self.message, self.errors = message, errors


class ServerFull(Exception):
    """All of the server's sessions are taken. ``max_sessions`` is None if the server doesn't report it."""

    def __init__(self, max_sessions: int | None) -> None:
        super().__init__("the OpenEnv server has no free session")
        self.max_sessions = max_sessions


def reset(arguments: Mapping[str, Any]) -> bytes:
    return b'{"type":"reset","data":%b}' % dumps(arguments)


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


def dumps(value: Any) -> bytes:
    """Compact JSON. The standard library writes what orjson refuses: an integer beyond 64 bits, a lone surrogate,
    more than 254 levels."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


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


def has_too_many_values(text: bytes) -> bool:
    """Whether a JSON text has more than MOST_VALUES values, found without parsing it: a parsed ``[]`` takes twenty
    times its text."""
    return _separators(text) > MOST_VALUES and _separators(_STRING.sub(b"", text)) > MOST_VALUES


def parse(frame: bytes) -> Answer:
    """Raises ErrorFrame, ServerFull, or a Failure for a frame that ends the episode."""
    if has_too_many_values(frame):
        raise EpisodeFailed(f"the server's answer has more than {MOST_VALUES} JSON values")
    try:
        message = loads(frame)
        kind, data = message["type"], message["data"]
        if kind == "observation":
            return _answer(data, frame)
        if kind == "error":
            raise _error(data)
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as e:
        raise EpisodeFailed("the server answered with something that is not an OpenEnv message") from e
    raise EpisodeFailed(f"the server answered with a message of the type {str(kind)[:40]!r}")


def notice(frame: bytes) -> Exception | None:
    """What ``frame`` says if it is a server's notice that there is no session, else None."""
    if len(frame) > NOTICE_LIMIT:
        return None
    try:
        message = loads(frame)
        known = message["type"] == "error" and message["data"].get("code") in NOTICES
        return _error(message["data"]) if known else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def is_answer(frame: bytes) -> bool:
    """Whether ``frame`` would answer a request. A long frame isn't looked into: it would."""
    if len(frame) > NOTICE_LIMIT:
        return True
    try:
        return loads(frame)["type"] in ("observation", "error")
    except (ValueError, TypeError, KeyError):
        return False


def finite(value: Any) -> float | None:
    """``value`` as a float, or None if it is not a finite number. JSON as Python reads it has NaN, Infinity, and
    integers beyond any float."""
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def shown(value: Any) -> str:
    """A value of a server's for a reason, as JSON, bounded."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:59]}…"


def _answer(data: Mapping[str, Any], frame: bytes) -> Answer:
    observation = data["observation"]
    if not isinstance(observation, Mapping):
        raise TypeError("an observation is an object")
    done = data.get("done")
    if done not in (True, False, None):
        raise TypeError("done is true or false")  # "false" would end the episode
    given = data.get("reward")
    reward = finite(given)
    metadata = data.get("metadata") or observation.get("metadata")
    return Answer(
        observation,
        reward,
        bool(done),
        metadata if isinstance(metadata, Mapping) else {},
        frame,
        None if given is None or reward is not None else shown(given),
    )


def _error(data: Mapping[str, Any]) -> Exception:
    code, message = data.get("code"), str(data.get("message") or "the environment gave no reason")
    if code == "CAPACITY_REACHED":
        limit = data.get("max_sessions")
        return ServerFull(limit if isinstance(limit, int) else None)
    if code in READABLE:
        errors = data.get("errors")
        return ErrorFrame(message, errors if isinstance(errors, list) else [])
    failure: type[Failure] = Unavailable if code == "FACTORY_ERROR" else EpisodeFailed
    return failure(f"the server ended the session: {message} ({code})")


def _separators(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")
