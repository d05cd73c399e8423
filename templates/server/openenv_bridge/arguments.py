"""What a model's arguments must be before they are sent: the model reads what is wrong with them, and plays on.

An OpenEnv server ends the session over a frame that is too large, and over JSON that its parser gives up on. Whatever
a model writes must not end an episode like that, which would mask it.
"""

from __future__ import annotations

from typing import Any

import orjson

from openenv_bridge import wire

DEEPEST = 200  # levels: Python's own JSON parser gives up at about 1,000, pydantic's writer at 255

# Python's JSON parser reads these, but an OpenEnv server can't write them: it ends the session over an error that
# repeats them, and a score that is calculated from them is not a number.
NOT_STRICT = "The arguments have NaN, an infinite number or half a surrogate pair, which are not valid JSON."


def problem(arguments: bytes) -> str | None:
    """What the model reads if ``arguments`` can't be sent, or None if they can."""
    if len(arguments) > wire.FRAME_LIMIT:
        return too_large("arguments are", len(arguments))
    if wire.has_too_many_values(arguments):
        return f"The arguments are too large: more than {wire.MOST_VALUES} JSON values."
    try:
        value, is_strict = orjson.loads(arguments), True
    except ValueError:
        try:
            value, is_strict = wire.loads(arguments), False
        except ValueError:
            return "The arguments are not valid JSON."
    if arguments.count(b"[") + arguments.count(b"{") > DEEPEST and _is_deeper(value, DEEPEST):
        return f"The arguments are nested too deeply: more than {DEEPEST} levels."
    return None if is_strict else NOT_STRICT


def too_large(what: str, size: int) -> str:
    return f"The {what} too large: {size} bytes, but an environment takes {wire.FRAME_LIMIT}."


def _is_deeper(value: Any, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        level = [item for outer in level for item in _items(outer)]
        if not level:
            return False
    return True


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
