"""The same table of cases as gymgen's own, whose prompts hold observations too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from openenv_bridge.observation_text import observation_text

CASES = json.loads((Path(__file__).parents[2] / "fixtures/observations.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_observation_reads(case: dict[str, Any]) -> None:
    assert observation_text(case["observation"]) == case["text"]


def test_a_text_that_is_too_long_loses_its_middle_and_says_so() -> None:
    head, said, tail = observation_text({"log": "🥛" * 39_990}).split("\n")
    assert (len(head), len(tail)) == (24_000, 8_000)
    assert said == "[8000 characters left out here]"
