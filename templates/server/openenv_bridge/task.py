"""What a row says of its task: which one it is, and which tools the model was shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class BadRow(ValueError):
    """What came isn't a row that names a task."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a server that lists its tasks, by split and index; else the ``reset`` arguments that play it."""

    split: str | None
    index: int | None
    task_id: str | None
    tools: list[dict[str, Any]] | None  # None where the row wasn't sent whole: Gym's typed seeds leave the tools out
    reset: dict[str, Any] | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Task:
        """Raises BadRow if ``row`` names no task."""
        split, index, task_id, reset = (row.get(key) for key in ("split", "index", "task_id", "reset"))
        task_id = task_id if isinstance(task_id, str) else None
        if isinstance(reset, dict):
            return cls(None, None, task_id, tools_of(row), without_nulls(reset))
        if isinstance(index, float) and index.is_integer():
            index = int(index)  # of a loader that keeps a column with gaps as floats
        if not isinstance(split, str) or not isinstance(index, int) or isinstance(index, bool):
            raise BadRow(
                "a row names its task by 'split' (a string) and 'index' (an integer), or by 'reset' (an object)"
            )
        return cls(split, index, task_id, tools_of(row))

    def reset_arguments(self) -> dict[str, Any]:
        return {"split": self.split, "index": self.index} if self.reset is None else self.reset

    def plays_as(self, other: Task) -> bool:
        """Whether both are reset alike, so that one's score is the other's."""
        return self.reset_arguments() == other.reset_arguments()

    def digest(self) -> bytes:
        """Equal for tasks that are reset alike: what is remembered of a task, whose row may be long."""
        return hashlib.blake2b(json.dumps(self.reset_arguments(), sort_keys=True).encode(), digest_size=16).digest()

    def same_as(self, other: Task) -> bool:
        return self.plays_as(other) and self.task_id == other.task_id

    def difference(self, played: Any) -> str | None:
        """How the task that a reset says it plays (``metadata.task``) isn't this one, or None.

        A server that doesn't say what it plays can't be told from one that plays the right task.
        """
        if not isinstance(played, Mapping) or self.reset is not None:
            return None
        for name, asked in (("split", self.split), ("index", self.index)):
            if played.get(name) is not None and played[name] != asked:
                return f"{name} {played[name]!r} instead of {asked!r}"
        told = played.get("id")
        if self.task_id and isinstance(told, str) and last_segment(told) != last_segment(self.task_id):
            return f"task {last_segment(told)!r} instead of {last_segment(self.task_id)!r}"
        return None

    def __str__(self) -> str:
        if self.reset is not None:
            return self.task_id or f"reset {str(self.reset)[:200]}"
        name = f" ({last_segment(self.task_id)})" if self.task_id else ""
        return f"{self.split} {self.index}{name}"


def tools_of(row: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The tools that the row's model is shown, or None if ``row`` has no ``responses_create_params``."""
    params = row.get("responses_create_params")
    if not isinstance(params, Mapping):
        return None
    tools = params.get("tools")
    found = tools if isinstance(tools, list) else []
    return [tool for tool in found if isinstance(tool, dict) and isinstance(tool.get("name"), str)]


def without_nulls(value: Any) -> Any:
    """``value`` without keys that have null, at any depth.

    A loader that keeps rows in columns (Apache Arrow) gives the ``reset`` of each row the keys of all others, with
    null, and an environment that is sent an explicit null may play something else than with its default. So a null in
    ``reset`` is the same as no key.
    """
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def last_segment(task_id: str) -> str:
    """The part of an id that is the task's own: what stands before it says where its bundle was served from."""
    return task_id.rsplit("/", 1)[-1]
