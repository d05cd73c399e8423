"""Converts an observation to the text that the model reads: compact JSON, without secrets and binary data, truncated.

gymgen applies the same rules to the observations in its prompts. One table of cases tests both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from openenv_bridge.json_codec import dump_text

MAX_LENGTH = 32_000  # characters
TAIL_LENGTH = 8_000  # characters at the end; the newest part, if an environment repeats its history
MAX_NUMBERS = 1000  # numbers in an array; a larger array is an image, or a vector that no model reads
MIN_BASE64 = 200  # characters; shorter strings are words, hashes and ids
MAX_DEPTH = 32

NOT_OBSERVED = frozenset({"reward", "done", "metadata"})
# Fields that a model must never read. Case, hyphens and underscores are ignored: expectedAnswer, ground-truth.
SECRET_FIELDS = frozenset(
    {
        "answerkey",
        "canonicalsolution",
        "correctanswer",
        "correctanswers",
        "correctsolution",
        "expectedanswer",
        "expectedanswers",
        "expectedsolution",
        "goldanswer",
        "goldanswers",
        "goldsolution",
        "groundtruth",
        "hiddenanswer",
        "hiddenword",
        "optimalsolution",
        "referenceanswer",
        "referencesolution",
        "secretanswer",
        "secretnumber",
        "secretword",
        "solution",
        "solutions",
        "targetanswer",
    }
)

_TOO_DEEP = "[nested deeper, not shown]"
_DATA_URL_HEAD = re.compile(r"data:[\w.+/;=-]*,", re.ASCII)
# A data URL (RFC 2397), alone or within Markdown or HTML.
_DATA_URL = re.compile(r"data:(?:[\w.+-]+/[\w.+-]+)?(?:;[\w.+=-]*)*,[\w%+/=.~!*-]{200,}", re.ASCII | re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_BASE64_LINES = re.compile(r"(?:[A-Za-z0-9+/]{60,}\r?\n)+[A-Za-z0-9+/]*={0,2}\s*")  # MIME (RFC 2045, section 6.8)
_MIXED = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


def observation_text(observation: Mapping[str, Any]) -> str:
    """Return the text of an observation, or an empty string if it shows nothing."""
    cleaned = _clean({key: value for key, value in observation.items() if key not in NOT_OBSERVED}, 1)
    return truncate(dump_text(cleaned)) if cleaned else ""


def truncate(text: str) -> str:
    """Replace the middle of a text that is too long with a note."""
    excess = len(text) - MAX_LENGTH
    if excess <= 0:
        return text
    return f"{text[: MAX_LENGTH - TAIL_LENGTH]}\n[{excess} characters left out here]\n{text[-TAIL_LENGTH:]}"


def _clean(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _without_binary(value)
    if isinstance(value, list):
        numbers = _count_numbers(value)
        if numbers > MAX_NUMBERS:
            shape = _shape(value)
            return f"[{'x'.join(map(str, shape)) if shape else numbers} numbers, not shown]"
        return _TOO_DEEP if depth > MAX_DEPTH else [_clean(item, depth + 1) for item in value]
    if not isinstance(value, Mapping):
        return value
    if depth > MAX_DEPTH:
        return _TOO_DEEP
    cleaned = {key: _clean(item, depth + 1) for key, item in value.items() if not _is_secret(key)}
    return {key: item for key, item in cleaned.items() if not (item is None or item in ("", [], {}))}


def _is_secret(key: str) -> bool:
    return re.sub("[_-]", "", key.lower()) in SECRET_FIELDS


def _count_numbers(array: list[Any]) -> int:
    """Count the numbers of an array of numbers, at any depth. Returns 0 if it has anything else."""
    count = 0
    stack: list[Any] = [array]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            count += 1
        else:
            return 0
    return count


def _shape(array: list[Any]) -> list[int] | None:
    """Return the length of an array in each dimension, or None if it is not regular. Visits each item once."""
    shape: list[int] = []
    level: list[Any] = [array]
    while all(isinstance(item, list) for item in level):
        lengths = {len(item) for item in level}
        if len(lengths) != 1:
            return None
        shape.append(lengths.pop())
        level = [item for inner in level for item in inner]
    return None if any(isinstance(item, list) for item in level) else shape


def _without_binary(text: str) -> str:
    """Replace base64 data and data URLs, which no model reads, with a note."""
    if len(text) < MIN_BASE64:
        return text
    if _is_base64(text):
        return f"[base64, {len(text)} characters, not shown]"
    return _DATA_URL.sub(lambda url: f"[data URL, {len(url[0])} characters, not shown]", text)


def _is_base64(text: str) -> bool:
    """Whether ``text`` is base64: it mixes upper case, lower case and digits, unlike a long word without spaces."""
    data = _DATA_URL_HEAD.sub("", text, count=1) if text.startswith("data:") else text
    if _BASE64.fullmatch(data) is None and _BASE64_LINES.fullmatch(data) is None:
        return False
    return all(some.search(data) for some in _MIXED)
