"""What the model reads: the text of an answer, as the environment gave it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from openenv_bridge.wire import Answer, ErrorFrame

ENDED = "The episode has ended."
# What NeMo RL (7ea279a, ``_IMAGE_SRC_PREFIXES``) opens as an image, if the model has vision.
IMAGE_SOURCES = ("data:image/", "http://", "https://", "file://")


def of_answer(answer: Answer) -> str:
    """The text of a tool call's answer: its error, else its result, else the observation itself."""
    observation = answer.observation
    if not _is_text(observation.get("result")):
        observation = answer.exact()
    if observation.get("error") is not None:
        return of_error(observation["error"])
    if observation.get("result") is not None:
        return of_result(observation["result"])
    if answer.done:
        return ENDED
    rest = {k: v for k, v in observation.items() if k not in ("result", "error", "tool_name", "metadata")}
    return compact(rest) if rest else ""


def with_failure(said: str, answer: Answer) -> str:
    """``said``, and the environment's own error below it, if that didn't end the episode: the model reads it."""
    failure = answer.failure
    if failure is None or answer.done or failure in said:
        return said
    return f"{said}\n{failure}" if said else failure


def not_an_image(said: str) -> str:
    """``said`` below a line break if a trainer would take it for the address of an image.

    NeMo RL opens a tool's text that begins like one, a ``file://`` too: a server's text could make it read a file.
    """
    return f"\n{said}" if said.startswith(IMAGE_SOURCES) else said


def of_error(error: Any) -> str:
    """An error as the environment words it."""
    if isinstance(error, Mapping):
        return str(error.get("message") or error.get("error_type") or compact(error))
    return error if isinstance(error, str) else compact(error)


def of_result(result: Any) -> str:
    """Text blocks joined by line breaks (a note in place of an image); a string as it is; else JSON."""
    if isinstance(result, str):
        return result
    if not isinstance(result, Mapping) or not isinstance(result.get("content"), list):
        return compact(result)
    if not result["content"]:
        for key in ("structured_content", "data"):
            if result.get(key) not in (None, ""):
                return of_result(result[key])
    return "\n".join(_block(block) for block in result["content"])


def of_frame(error: ErrorFrame) -> str:
    """An error frame: what the environment raised, or what was wrong with the arguments and where."""
    places = [
        f"{'.'.join(str(part) for part in problem.get('loc') or ())}: {problem.get('msg')}"
        for problem in error.errors
        if isinstance(problem, Mapping)
    ]
    return "\n".join([error.message, *places])


def next_turn(result: Mapping[str, Any], system_prompt: str | None) -> str:
    """The prompt that opens the next turn, below its system prompt where that isn't ``system_prompt`` any more."""
    prompt, system = str(result.get("prompt") or ""), result.get("system_prompt")
    if isinstance(system, str) and system and system != system_prompt:
        return f"{system}\n\n{prompt}"
    return prompt


def _is_text(result: Any) -> bool:
    return isinstance(result, str) or (isinstance(result, Mapping) and bool(result.get("content")))


def compact(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # an integer beyond 64 bits, or a lone surrogate
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _block(block: Any) -> str:
    if not isinstance(block, Mapping):
        return block if isinstance(block, str) else compact(block)
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
    return compact(block)
