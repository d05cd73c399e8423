"""Whether a turn's tools are what the row shows to the model."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Mapping
from typing import Any

logger = logging.getLogger(__name__)

VALUES = frozenset({"enum", "const", "default", "examples"})  # of a schema: hold data, in which null is a value
# Of a schema: hold schemas by name, so that the names are not keywords.
NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})


def mismatch(turn: Iterable[Any], row: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> str | None:
    """The first way in which the model couldn't use a tool of ``turn`` as ``row`` shows it, or None.

    ``turn`` is the server's list (``input_schema``), ``row`` is Gym's (``parameters``), and ``names`` maps the server's
    names to the row's. Tools that only the row has are fine: it has those of all its turns.
    """
    shown = {tool.get("name"): tool.get("parameters") for tool in row}
    for tool in turn:
        if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str):
            return "the server lists a tool that has no name"
        name = names.get(tool["name"], tool["name"])
        if name not in shown:
            return f"the server offers the tool {name!r}, which the row lacks"
        own, rows = _object(tool.get("input_schema")), _object(shown[name])
        if own != rows:
            if not _same(own, rows):
                return f"the tool {name!r} has other parameters on the server than in the row"
            _say_once()
    return None


def _object(schema: Any) -> dict[str, Any]:
    """``schema`` with the ways to write "an object of anything" made one: null, {}, and no properties.

    gymgen writes it like that, as model APIs want it; below the top level, all is as the server has it.
    """
    plain: dict[str, Any] = {"type": "object", **(schema if isinstance(schema, Mapping) else {})}
    return {**plain, "type": plain["type"] or "object", "properties": plain.get("properties") or {}}


def _same(own: Any, row: Any, *, named: bool = False) -> bool:
    """Whether the row's schema is the server's, apart from keys with null that only the row has.

    A loader that keeps rows in columns (Apache Arrow, as ``datasets.Dataset.from_list``) gives all tools the keys of
    all others, with null. It does so anywhere, but in data a null may be the server's own. ``named``: the keys are
    names.
    """
    if isinstance(own, list) and isinstance(row, list):
        return len(own) == len(row) and all(_same(a, b) for a, b in zip(own, row, strict=True))
    if not isinstance(own, Mapping) or not isinstance(row, Mapping):
        return own == row
    if any(value is not None for key, value in row.items() if key not in own):
        return False
    return all(
        key in row
        and (
            value == row[key]
            if key in VALUES and not named
            else _same(value, row[key], named=key in NAMED and not named)
        )
        for key, value in own.items()
    )


@functools.cache
def _say_once() -> None:
    logger.warning(
        "rows have keys with null in their tools' parameters that the server's tools lack, as a loader such as "
        "datasets.Dataset.from_list adds them: these are ignored"
    )
