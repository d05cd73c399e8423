"""Compares the tools of a turn, as the server lists them, with those that the row shows to the model."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Mapping
from typing import Any

logger = logging.getLogger(__name__)

DATA_KEYWORDS = frozenset({"enum", "const", "default", "examples"})  # contain data, in which null is a value
# Keywords that contain schemas by name. The names are not keywords.
NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})


def tool_mismatch(
    turn: Iterable[Any], row_tools: Iterable[Mapping[str, Any]], row_names: Mapping[str, str]
) -> str | None:
    """Describe the first tool of ``turn`` that the model could not use as the row shows it, or return None.

    ``turn`` is the server's list (with ``input_schema``), ``row_tools`` is Gym's (with ``parameters``), and
    ``row_names`` maps the server's names to the row's. The row may have more tools, because it has those of all turns.
    """
    shown = {tool.get("name"): tool.get("parameters") for tool in row_tools}
    for tool in turn:
        if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str):
            return "the server lists a tool that has no name"
        name = row_names.get(tool["name"], tool["name"])
        if name not in shown:
            return f"the server offers the tool {name!r}, which the row lacks"
        server_schema, row_schema = _normalize(tool.get("input_schema")), _normalize(shown[name])
        if server_schema != row_schema:
            if not _is_same(server_schema, row_schema):
                return f"the tool {name!r} has other parameters on the server than in the row"
            _log_added_nulls()
    return None


def _normalize(schema: Any) -> dict[str, Any]:
    """Write "an object without properties" in one way. It may also be null, ``{}``, or lack ``properties``.

    gymgen writes rows in this form, because model APIs require it. Below the top level nothing is changed.
    """
    plain: dict[str, Any] = {"type": "object", **(schema if isinstance(schema, Mapping) else {})}
    return {**plain, "type": plain["type"] or "object", "properties": plain.get("properties") or {}}


def _is_same(server: Any, row: Any, *, is_named: bool = False) -> bool:
    """Whether the row's schema is the server's, except for keys with null that only the row has.

    A loader that stores rows in columns (Apache Arrow, as ``datasets.Dataset.from_list``) gives each tool the keys of
    all other tools, with null. Inside of data, a null may be the server's own. If ``is_named``, the keys are names.
    """
    if isinstance(server, list) and isinstance(row, list):
        return len(server) == len(row) and all(_is_same(a, b) for a, b in zip(server, row, strict=True))
    if not isinstance(server, Mapping) or not isinstance(row, Mapping):
        return server == row
    if any(value is not None for key, value in row.items() if key not in server):
        return False
    return all(
        key in row
        and (
            value == row[key]
            if key in DATA_KEYWORDS and not is_named
            else _is_same(value, row[key], is_named=key in NAMED_SCHEMAS and not is_named)
        )
        for key, value in server.items()
    )


@functools.cache
def _log_added_nulls() -> None:
    """Log once per process."""
    logger.warning(
        "the tools in the rows have keys with null that the server's tools lack. A loader such as "
        "datasets.Dataset.from_list adds them; they are ignored."
    )
