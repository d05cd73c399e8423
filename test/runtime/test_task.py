"""What a row names, and whether a server plays that."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.task import BadRow, Task, tools_of

TASK = Task("train", 3, "@local/bundle/day-3", [])


@pytest.mark.parametrize(
    "row", [{}, {"split": "train"}, {"index": 1}, {"split": 1, "index": 1}, {"split": "a", "index": "1"}]
)
def test_a_row_without_split_and_index_is_no_row(row: dict[str, Any]) -> None:
    with pytest.raises(BadRow):
        Task.of(row)


def test_true_is_no_index() -> None:
    with pytest.raises(BadRow):
        Task.of({"split": "train", "index": True})


@pytest.mark.parametrize(
    ("played", "difference"),
    [
        ({"id": "@local/srv/bundle/day-3", "split": "train", "index": 3}, None),
        ({"id": "day-3"}, None),
        ({}, None),
        (None, None),
        ("day-3", None),
        ({"id": "@local/bundle/day-4"}, "task 'day-4' instead of 'day-3'"),
        ({"id": "@local/bundle/day-3", "index": 4}, "index 4 instead of 3"),
        ({"split": "eval", "index": 3}, "split 'eval' instead of 'train'"),
    ],
)
def test_identity_is_split_index_and_the_last_segment_of_the_id(played: Any, difference: str | None) -> None:
    assert TASK.difference(played) == difference


def test_a_row_without_an_id_is_told_by_split_and_index() -> None:
    assert Task.of({"split": "train", "index": 3}).difference({"id": "any", "split": "train", "index": 3}) is None


def test_tools_are_unknown_only_where_the_row_was_not_sent_whole() -> None:
    assert tools_of({}) is None
    assert tools_of({"responses_create_params": {"input": []}}) == []
    assert tools_of({"responses_create_params": {"tools": None}}) == []


def test_a_null_in_reset_is_no_key() -> None:
    """A loader that keeps rows in columns adds the keys of all other rows."""
    task = Task.of({"split": None, "index": None, "reset": {"seed": 0, "goal": None, "how": {"a": [None], "b": None}}})
    assert task.reset_arguments() == {"seed": 0, "how": {"a": [None]}}


def test_an_index_may_have_become_a_float() -> None:
    assert Task.of({"split": "train", "index": 3.0, "reset": None}).reset_arguments() == {"split": "train", "index": 3}
    for index in (3.5, float("nan"), float("inf"), "3"):
        with pytest.raises(BadRow):
            Task.of({"split": "train", "index": index})
