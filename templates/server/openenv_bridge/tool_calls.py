"""Checks the arguments of a tool call, and converts its result to the text that the model reads.

Arguments are checked before they are sent. An OpenEnv server ends the session if a frame is too large, or if its parser
rejects the JSON. Nothing that a model writes may end an episode in this way, because the rollout would be masked.
Instead, the model reads what is wrong with its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from openenv_bridge import messages
from openenv_bridge.json_codec import MAX_VALUES, dump_text, has_too_many_values, loads
from openenv_bridge.messages import ErrorFrame, StepResult

MAX_DEPTH = 200  # levels; Python's JSON parser fails at about 1,000, and pydantic's serializer at 255
EPISODE_ENDED = "The episode has ended."
# An OpenEnv server parses these values but cannot write them. An error message that repeats them ends the session, and
# a score that is computed from them is not a number.
NOT_STRICT_JSON = "The arguments have NaN, an infinite number or half a surrogate pair, which are not valid JSON."
# NeMo RL (7ea279a, ``_IMAGE_SRC_PREFIXES``) opens a text with one of these prefixes as an image.
IMAGE_PREFIXES = ("data:image/", "http://", "https://", "file://")


def argument_error(arguments: bytes) -> str | None:
    """Return what the model reads if ``arguments`` cannot be sent, or None if they can."""
    if len(arguments) > messages.MAX_REQUEST:
        return too_large("arguments are", len(arguments))
    if has_too_many_values(arguments):
        return f"The arguments are too large: more than {MAX_VALUES} JSON values."
    try:
        value, is_strict = orjson.loads(arguments), True
    except ValueError:
        try:
            value, is_strict = loads(arguments), False
        except ValueError:
            return "The arguments are not valid JSON."
    if arguments.count(b"[") + arguments.count(b"{") > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        return f"The arguments are nested too deeply: more than {MAX_DEPTH} levels."
    return None if is_strict else NOT_STRICT_JSON


def too_large(what: str, size: int) -> str:
    """Return what the model reads if a request is too large. ``what`` is the subject with its verb."""
    return f"The {what} too large: {size} bytes; the limit is {messages.MAX_REQUEST}."


def result_text(result: StepResult) -> str:
    """Return the text of a tool's result: its error, else its result, else the observation itself."""
    observation = result.observation
    if not _has_text(observation.get("result")):
        observation = result.exact_observation()
    if observation.get("error") is not None:
        return error_text(observation["error"])
    if observation.get("result") is not None:
        return content_text(observation["result"])
    if result.done:
        return EPISODE_ENDED
    rest = {k: v for k, v in observation.items() if k not in ("result", "error", "tool_name", "metadata")}
    return dump_text(rest) if rest else ""


def content_text(result: Any) -> str:
    """Return text blocks joined by line breaks, with a note in place of an image; a string unchanged; or else JSON."""
    if isinstance(result, str):
        return result
    if not isinstance(result, Mapping) or not isinstance(result.get("content"), list):
        return dump_text(result)
    if not result["content"]:
        for key in ("structured_content", "data"):
            if result.get(key) not in (None, ""):
                return content_text(result[key])
    return "\n".join(_block_text(block) for block in result["content"])


def error_text(error: Any) -> str:
    """Return an error in the environment's words."""
    if isinstance(error, Mapping):
        return str(error.get("message") or error.get("error_type") or dump_text(error))
    return error if isinstance(error, str) else dump_text(error)


def error_frame_text(error: ErrorFrame) -> str:
    """Return the message of the environment's exception, or the problems of the arguments with their places."""
    details = [
        f"{'.'.join(str(part) for part in problem.get('loc') or ())}: {problem.get('msg')}"
        for problem in error.errors
        if isinstance(problem, Mapping)
    ]
    return "\n".join([error.message, *details])


def turn_text(result: Mapping[str, Any], system_prompt: str | None) -> str:
    """Return the prompt of the next turn, below its system prompt if that differs from ``system_prompt``."""
    prompt, system = str(result.get("prompt") or ""), result.get("system_prompt")
    if isinstance(system, str) and system and system != system_prompt:
        return f"{system}\n\n{prompt}"
    return prompt


def with_failure(text: str, result: StepResult) -> str:
    """Append the environment's own error to ``text``, unless it ended the episode or ``text`` contains it."""
    failure = result.failure
    if failure is None or result.done or failure in text:
        return text
    return f"{text}\n{failure}" if text else failure


def escape_image_source(text: str) -> str:
    """Put a line break before a text that looks like the address of an image.

    NeMo RL opens such a tool result as an image if the model has vision. It accepts ``file://`` too, so an OpenEnv
    server could make the trainer read a local file.
    """
    return f"\n{text}" if text.startswith(IMAGE_PREFIXES) else text


def _has_text(result: Any) -> bool:
    return isinstance(result, str) or (isinstance(result, Mapping) and bool(result.get("content")))


def _block_text(block: Any) -> str:
    if not isinstance(block, Mapping):
        return block if isinstance(block, str) else dump_text(block)
    kind = block.get("type")
    if kind == "text" or (kind is None and isinstance(block.get("text"), str)):
        return str(block.get("text") or "")
    resource = block.get("resource")
    if isinstance(resource, Mapping) and isinstance(resource.get("text"), str):
        return resource["text"]
    if kind in ("image", "audio"):
        return f"[{kind} ({block.get('mimeType') or block.get('mime_type') or 'unknown type'}), not shown]"
    if isinstance(resource, Mapping):
        return f"[resource {resource.get('uri') or ''} ({resource.get('mimeType') or 'binary'}), not shown]"
    return dump_text(block)


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
