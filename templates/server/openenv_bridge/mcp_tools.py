"""The tools for agents that use MCP, from ``toolsets.json``, in which gymgen stores the tools that it found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from openenv_bridge.endpoint import ConfigError
from openenv_bridge.row import InvalidRow, Task, row_tools


class MCPTools:
    """Raises ConfigError if ``path`` cannot be read."""

    def __init__(self, path: Path) -> None:
        try:
            self._toolsets: list[dict[str, Any]] = orjson.loads(path.read_bytes())["toolsets"]
            self._names = [[tool["name"] for tool in toolset["tools"]] for toolset in self._toolsets]
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise ConfigError(f"expose_tools_over_mcp needs {path}, which cannot be read: {e!r}") from e

    def all_tools(self) -> list[dict[str, Any]]:
        """Return each tool once. If toolsets differ in the schema of a tool, MCP shows a schema for any object."""
        tools: dict[str, dict[str, Any]] = {}
        for toolset in self._toolsets:
            for tool in toolset["tools"]:
                first = tools.setdefault(tool["name"], tool)
                if first["parameters"] != tool["parameters"]:
                    tools[tool["name"]] = first | {"parameters": {"type": "object", "additionalProperties": True}}
        return list(tools.values())

    def names_for_row(self, row: Mapping[str, Any]) -> list[str] | None:
        """Return the names of the row's tools, else of its task's toolset, else None for all tools."""
        tools = row_tools(row)
        if tools is not None:
            return [tool["name"] for tool in tools]
        try:
            task = Task.from_row(row)
        except InvalidRow:
            return None
        for toolset, names in zip(self._toolsets, self._names, strict=True):
            for known in toolset.get("tasks", []):
                if task.reset is None and (known.get("split"), known.get("index")) == (task.split, task.index):
                    return names
        return self._names[0] if len(self._names) == 1 else None
