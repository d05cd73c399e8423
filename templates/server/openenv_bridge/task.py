"""What a row says of its task: which one it is, and which tools the model was shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class BadRow(ValueError):
    """What came isn't a row that names a task."""


@dataclass(frozen=True, slots=True)
class Task:
    split: str
    index: int
    task_id: str | None
    tools: list[dict[str, Any]] | None  # None where the row wasn't sent whole: Gym's typed seeds leave the tools out

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Task:
        """Raises BadRow where ``row`` has no split and index."""
        split, index, task_id = row.get("split"), row.get("index"), row.get("task_id")
        if not isinstance(split, str) or not isinstance(index, int) or isinstance(index, bool):
            raise BadRow("a row names its task by 'split' (a string) and 'index' (an integer)")
        return cls(split, index, task_id if isinstance(task_id, str) else None, tools_of(row))

    def reset_arguments(self) -> dict[str, Any]:
        return {"split": self.split, "index": self.index}

    def same_as(self, other: Task) -> bool:
        return (self.split, self.index, self.task_id) == (other.split, other.index, other.task_id)

    def difference(self, played: Any) -> str | None:
        """How the task that a reset says it plays (``metadata.task``) isn't this one, or None.

        A server that doesn't say what it plays can't be told from one that plays the right task.
        """
        if not isinstance(played, Mapping):
            return None
        for name, asked in (("split", self.split), ("index", self.index)):
            if played.get(name) is not None and played[name] != asked:
                return f"{name} {played[name]!r} instead of {asked!r}"
        told = played.get("id")
        if self.task_id and isinstance(told, str) and last_segment(told) != last_segment(self.task_id):
            return f"task {last_segment(told)!r} instead of {last_segment(self.task_id)!r}"
        return None

    def __str__(self) -> str:
        name = f" ({last_segment(self.task_id)})" if self.task_id else ""
        return f"{self.split} {self.index}{name}"


def tools_of(row: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The tools that the row's model is shown, or None where ``row`` has no ``responses_create_params``."""
    params = row.get("responses_create_params")
    if not isinstance(params, Mapping):
        return None
    tools = params.get("tools")
    return [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []


def last_segment(task_id: str) -> str:
    """The part of an id that is the task's own: what stands before it says where its bundle was served from."""
    return task_id.rsplit("/", 1)[-1]
