"""What a model reads of an observation: compact JSON, without what is not for its eyes, bounded.

gymgen has the same rules for the observations in its prompts; both are tested with one table of cases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import orjson

LONGEST = 32_000  # characters of a text
TAIL = 8_000  # of these, its end: the newest, where an environment repeats its history
MOST_NUMBERS = 1000  # of an array that is shown: a larger one is an image, or a vector that no model reads
LEAST_BASE64 = 200  # characters: shorter ones are words, hashes and ids
DEEPEST = 32

APART = frozenset({"reward", "done", "metadata"})  # what the environment says apart from what it shows
# What a model must not read at any time, whatever else it is called with: expectedAnswer, ground-truth.
SECRETS = frozenset(
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
# Alone or in a longer text such as Markdown or HTML (RFC 2397).
_DATA_URL = re.compile(r"data:(?:[\w.+-]+/[\w.+-]+)?(?:;[\w.+=-]*)*,[\w%+/=.~!*-]{200,}", re.ASCII | re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_BASE64_LINES = re.compile(r"(?:[A-Za-z0-9+/]{60,}\r?\n)+[A-Za-z0-9+/]*={0,2}\s*")  # as MIME has it (RFC 2045, 6.8)
_MIXED = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


def observation_text(observation: Mapping[str, Any]) -> str:
    """The text of an observation, "" where it shows nothing."""
    cleaned = _clean({key: value for key, value in observation.items() if key not in APART}, 1)
    return bounded(_json(cleaned)) if cleaned else ""


def bounded(text: str) -> str:
    """``text``, without its middle where it is too long, which it then says."""
    left = len(text) - LONGEST
    if left <= 0:
        return text
    return f"{text[: LONGEST - TAIL]}\n[{left} characters left out here]\n{text[-TAIL:]}"


def _clean(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _without_data(value)
    if isinstance(value, list):
        numbers = _count_numbers(value)
        if numbers > MOST_NUMBERS:
            shape = _shape(value)
            return f"[{'x'.join(map(str, shape)) if shape else numbers} numbers, not shown]"
        return _TOO_DEEP if depth > DEEPEST else [_clean(item, depth + 1) for item in value]
    if not isinstance(value, Mapping):
        return value
    if depth > DEEPEST:
        return _TOO_DEEP
    cleaned = {key: _clean(item, depth + 1) for key, item in value.items() if not _is_secret(key)}
    return {key: item for key, item in cleaned.items() if not (item is None or item in ("", [], {}))}


def _is_secret(key: str) -> bool:
    return re.sub("[_-]", "", key.lower()) in SECRETS


def _count_numbers(array: list[Any]) -> int:
    """How many numbers an array of numbers has, at any depth; 0 where it has anything else."""
    count = 0
    left: list[Any] = [array]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left.extend(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            count += 1
        else:
            return 0
    return count


def _shape(array: list[Any]) -> list[int] | None:
    """The lengths of an array in each dimension, or None if it is not regular. Each item is looked at once."""
    shape: list[int] = []
    level: list[Any] = [array]
    while all(isinstance(item, list) for item in level):
        lengths = {len(item) for item in level}
        if len(lengths) != 1:
            return None
        shape.append(lengths.pop())
        level = [item for inner in level for item in inner]
    return None if any(isinstance(item, list) for item in level) else shape


def _without_data(text: str) -> str:
    """``text`` with a note in place of data that no model reads."""
    if len(text) < LEAST_BASE64:
        return text
    if _is_base64(text):
        return f"[base64, {len(text)} characters, not shown]"
    return _DATA_URL.sub(lambda url: f"[data URL, {len(url[0])} characters, not shown]", text)


def _is_base64(text: str) -> bool:
    """Of data, which mixes cases and digits as no long text without a blank does."""
    data = _DATA_URL_HEAD.sub("", text, count=1) if text.startswith("data:") else text
    if _BASE64.fullmatch(data) is None and _BASE64_LINES.fullmatch(data) is None:
        return False
    return all(some.search(data) for some in _MIXED)


def _json(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # an integer beyond 64 bits, or a lone surrogate
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
