"""Reads a row: which task it names, and which tools it shows to the model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class InvalidRow(ValueError):
    """The row does not name a task."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the OpenEnv server: its split and index, or the arguments of its ``reset``.

    ``tools`` is None if they are unknown, because Gym's typed sessions seed without the tools of the row.
    """

    split: str | None
    index: int | None
    task_id: str | None
    tools: list[dict[str, Any]] | None
    reset: dict[str, Any] | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Task:
        """Raises InvalidRow if ``row`` does not name a task."""
        split, index, task_id, reset = (row.get(key) for key in ("split", "index", "task_id", "reset"))
        task_id = task_id if isinstance(task_id, str) else None
        if isinstance(reset, dict):
            return cls(None, None, task_id, row_tools(row), without_nulls(reset))
        if isinstance(index, float) and index.is_integer():
            index = int(index)  # a loader keeps a column with missing values as floats
        if not isinstance(split, str) or not isinstance(index, int) or isinstance(index, bool):
            raise InvalidRow(
                "a row names its task by 'split' (a string) and 'index' (an integer), or by 'reset' (an object)"
            )
        return cls(split, index, task_id, row_tools(row))

    def reset_arguments(self) -> dict[str, Any]:
        return {"split": self.split, "index": self.index} if self.reset is None else self.reset

    def has_same_reset(self, other: Task) -> bool:
        """Whether both tasks have the same reset arguments. Then a score of one is also a score of the other."""
        return self.reset_arguments() == other.reset_arguments()

    def is_same_task(self, other: Task) -> bool:
        return self.has_same_reset(other) and self.task_id == other.task_id

    def digest(self) -> bytes:
        """A short hash that identifies the task. Tasks with the same reset arguments have the same digest."""
        return hashlib.blake2b(json.dumps(self.reset_arguments(), sort_keys=True).encode(), digest_size=16).digest()

    def difference(self, played: Any) -> str | None:
        """Describe how the task that the server reports (``metadata.task``) differs from this one.

        Returns None if it is the same task, or if the server does not report one.
        """
        if not isinstance(played, Mapping) or self.reset is not None:
            return None
        for name, expected in (("split", self.split), ("index", self.index)):
            if played.get(name) is not None and played[name] != expected:
                return f"{name} {played[name]!r} instead of {expected!r}"
        played_id = played.get("id")
        if self.task_id and isinstance(played_id, str) and last_segment(played_id) != last_segment(self.task_id):
            return f"task {last_segment(played_id)!r} instead of {last_segment(self.task_id)!r}"
        return None

    def __str__(self) -> str:
        if self.reset is not None:
            return self.task_id or f"reset {str(self.reset)[:200]}"
        name = f" ({last_segment(self.task_id)})" if self.task_id else ""
        return f"{self.split} {self.index}{name}"


def row_tools(row: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the tools that the row shows to the model, or None if it has no ``responses_create_params``."""
    params = row.get("responses_create_params")
    if not isinstance(params, Mapping):
        return None
    tools = params.get("tools")
    items = tools if isinstance(tools, list) else []
    return [tool for tool in items if isinstance(tool, dict) and isinstance(tool.get("name"), str)]


def without_nulls(value: Any) -> Any:
    """Remove keys whose value is null, at any depth.

    A loader that stores rows in columns (Apache Arrow) adds to each ``reset`` the keys of all other rows, with null. An
    environment that receives an explicit null may behave differently than with its default.
    """
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def last_segment(task_id: str) -> str:
    """Return the part of an id that belongs to the task. The rest is the path from which its bundle was served."""
    return task_id.rsplit("/", 1)[-1]
