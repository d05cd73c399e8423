"""JSON as OpenEnv servers and models write it: with large integers, NaN and lone surrogates, which orjson rejects."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

MAX_VALUES = 1_000_000  # JSON values in one message; each takes about 60 bytes of memory once parsed

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)', re.DOTALL)


def loads(text: bytes) -> Any:
    """Parse with orjson, then with the standard library, which accepts lone surrogates and NaN. Raises ValueError."""
    try:
        return orjson.loads(text)
    except ValueError:
        try:
            return json.loads(text.decode())
        except RecursionError as e:
            raise ValueError("nested too deeply") from e


def dumps(value: Any) -> bytes:
    """Write compact JSON.

    The standard library writes what orjson rejects: integers beyond 64 bits, lone surrogates, over 254 levels.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def dump_text(value: Any) -> str:
    """Write compact JSON for a model to read. Lone surrogates stay in the text."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def dump_string(text: str) -> bytes:
    """Write a JSON string. Lone surrogates become question marks."""
    return orjson.dumps(replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can contain and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def has_too_many_values(text: bytes) -> bool:
    """Whether a JSON text has more than MAX_VALUES values.

    The text is not parsed: a parsed ``[]`` takes twenty times the memory of its text.
    """
    return (
        len(text) > MAX_VALUES
        and _count_separators(text) > MAX_VALUES
        and _count_separators(_STRING.sub(b"", text)) > MAX_VALUES
    )


def finite(value: Any) -> float | None:
    """Return ``value`` as a float, or None if it is not a finite number.

    Python's JSON parser accepts NaN, Infinity and integers beyond the range of a float.
    """
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def abbreviate(value: Any) -> str:
    """Write a value as JSON of at most 60 characters, for a log line or a mask reason."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:59]}…"


def _count_separators(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")
