"""From answers to scores."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.mask import Unscored
from openenv_bridge.rewards import Scoring, Verdict
from openenv_bridge.wire import Answer


def scored(step: str | None, *answers: tuple[float | None, bool, dict[str, Any]]) -> Verdict:
    scoring = Scoring(step)
    for reward, done, scores in answers:
        scoring.see(Answer({}, reward, done, {"scores": scores}, b""))
    return scoring.verdict()


def test_the_reward_is_that_of_the_observation_which_ends_the_episode() -> None:
    assert scored(None, (0.9, False, {}), (0.25, True, {})).reward == 0.25


def test_without_an_end_the_last_reward_counts() -> None:
    assert scored(None, (0.1, False, {}), (0.2, False, {}), (None, False, {})).reward == 0.2


def test_an_end_without_a_reward_is_no_score_whatever_came_before() -> None:
    with pytest.raises(Unscored):
        scored(None, (0.9, False, {}), (None, True, {}))


def test_nothing_at_all_is_no_score() -> None:
    with pytest.raises(Unscored):
        scored(None)


def test_the_configs_step_is_the_reward() -> None:
    verdict = scored("style", (1.0, True, {"style": 0.5, "facts": 1.0}))
    assert verdict.fields() == {
        "reward": 0.5,
        "mask_sample": False,
        "failure_kind": None,
        "failure_reason": None,
        "scores": {"style": 0.5, "facts": 1.0},
    }


def test_a_step_without_a_score_says_which_there_are() -> None:
    with pytest.raises(Unscored, match=r"no score 'stile' .*: facts, style"):
        scored("stile", (1.0, True, {"style": 0.5, "facts": 1.0}))


def test_components_are_given_only_where_they_sum_to_the_reward() -> None:
    assert scored(None, (1.5, True, {"a": 0.5, "b": 1.0})).fields()["reward_components"] == {"a": 0.5, "b": 1.0}
    assert "reward_components" not in scored(None, (1.0, True, {"a": 0.5, "b": 1.0})).fields()


def test_a_chosen_step_has_no_components_even_where_they_happen_to_sum() -> None:
    assert "reward_components" not in scored("a", (0.0, True, {"a": 0.0, "b": 0.0})).fields()


def test_scores_that_are_no_numbers_are_left_out() -> None:
    verdict = scored(None, (1.0, True, {"a": 1.0, "b": None, "c": "x", "d": True, "e": float("inf"), "\ud83d": 0.0}))
    assert verdict.fields()["scores"] == {"a": 1.0, "?": 0.0}
