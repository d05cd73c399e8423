"""The text of observations, with the table of cases that also tests gymgen's prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from openenv_bridge.observation_text import observation_text

CASES = json.loads((Path(__file__).parents[2] / "fixtures/observations.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_observation_is_converted_to_text(case: dict[str, Any]) -> None:
    assert observation_text(case["observation"]) == case["text"]


def test_the_middle_of_a_long_text_is_replaced_with_a_note() -> None:
    head, note, tail = observation_text({"log": "🥛" * 39_990}).split("\n")
    assert (len(head), len(tail)) == (24_000, 8_000)
    assert note == "[8000 characters left out here]"
