"""The task that a row names, and whether a server plays it."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.row import InvalidRow, Task, row_tools

TASK = Task("train", 3, "@local/bundle/day-3", [])


@pytest.mark.parametrize(
    "row", [{}, {"split": "train"}, {"index": 1}, {"split": 1, "index": 1}, {"split": "a", "index": "1"}]
)
def test_a_row_without_split_and_index_is_invalid(row: dict[str, Any]) -> None:
    with pytest.raises(InvalidRow):
        Task.from_row(row)


def test_true_is_not_an_index() -> None:
    with pytest.raises(InvalidRow):
        Task.from_row({"split": "train", "index": True})


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
def test_a_task_is_identified_by_split_index_and_the_last_segment_of_its_id(
    played: Any, difference: str | None
) -> None:
    assert TASK.difference(played) == difference


def test_a_task_without_an_id_is_identified_by_split_and_index() -> None:
    assert Task.from_row({"split": "train", "index": 3}).difference({"id": "any", "split": "train", "index": 3}) is None


def test_tools_are_unknown_only_if_the_row_was_not_sent_completely() -> None:
    assert row_tools({}) is None
    assert row_tools({"responses_create_params": {"input": []}}) == []
    assert row_tools({"responses_create_params": {"tools": None}}) == []


def test_a_null_in_reset_means_the_same_as_no_key() -> None:
    """A loader that stores rows in columns adds the keys of all other rows."""
    task = Task.from_row(
        {"split": None, "index": None, "reset": {"seed": 0, "goal": None, "how": {"a": [None], "b": None}}}
    )
    assert task.reset_arguments() == {"seed": 0, "how": {"a": [None]}}


def test_an_index_can_be_a_float() -> None:
    assert Task.from_row({"split": "train", "index": 3.0, "reset": None}).reset_arguments() == {
        "split": "train",
        "index": 3,
    }
    for index in (3.5, float("nan"), float("inf"), "3"):
        with pytest.raises(InvalidRow):
            Task.from_row({"split": "train", "index": index})
