"""Scores that follow from the rewards of the steps."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.json_codec import abbreviate
from openenv_bridge.mask import EpisodeFailed, Unscored
from openenv_bridge.messages import StepResult
from openenv_bridge.rewards import Scoring, Verdict


def scored(score_name: str | None, *results: tuple[float | None, bool, dict[str, Any]]) -> Verdict:
    scoring = Scoring(score_name)
    for reward, done, scores in results:
        scoring.add(StepResult({}, reward, done, {"scores": scores}, b""))
    return scoring.verdict()


def test_the_reward_of_the_last_step_is_the_score() -> None:
    assert scored(None, (0.9, False, {}), (0.25, True, {})).reward == 0.25


def test_without_an_end_the_last_reward_counts() -> None:
    assert scored(None, (0.1, False, {}), (0.2, False, {}), (None, False, {})).reward == 0.2


def test_an_end_without_a_reward_is_unscored_despite_earlier_rewards() -> None:
    with pytest.raises(Unscored):
        scored(None, (0.9, False, {}), (None, True, {}))


def test_an_episode_without_steps_is_unscored() -> None:
    with pytest.raises(Unscored):
        scored(None)


def test_the_score_that_the_config_names_is_the_reward() -> None:
    verdict = scored("style", (1.0, True, {"style": 0.5, "facts": 1.0}))
    assert verdict.fields() == {
        "reward": 0.5,
        "mask_sample": False,
        "failure_kind": None,
        "failure_reason": None,
        "scores": {"style": 0.5, "facts": 1.0},
    }


def test_a_missing_score_is_reported_with_the_names_of_the_others() -> None:
    with pytest.raises(Unscored, match=r"no score 'stile' .*: facts, style"):
        scored("stile", (1.0, True, {"style": 0.5, "facts": 1.0}))


def test_components_are_returned_only_if_they_sum_to_the_reward() -> None:
    assert scored(None, (1.5, True, {"a": 0.5, "b": 1.0})).fields()["reward_components"] == {"a": 0.5, "b": 1.0}
    assert "reward_components" not in scored(None, (1.0, True, {"a": 0.5, "b": 1.0})).fields()


def test_a_named_score_has_no_components_even_if_they_sum_to_it() -> None:
    assert "reward_components" not in scored("a", (0.0, True, {"a": 0.0, "b": 0.0})).fields()


def test_scores_that_are_not_numbers_are_left_out() -> None:
    verdict = scored(None, (1.0, True, {"a": 1.0, "b": None, "c": "x", "d": True, "\ud83d": 0.0}))
    assert verdict.fields()["scores"] == {"a": 1.0, "?": 0.0}


@pytest.mark.parametrize("passed", [True, False])
def test_a_named_score_can_be_true_or_false(passed: bool) -> None:
    assert scored("passed", (None, True, {"passed": passed, "other": True})).fields()["scores"] == {"passed": passed}


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 10**400])
@pytest.mark.parametrize("done", [False, True])
def test_a_score_that_is_not_finite_fails_the_episode(value: Any, done: bool) -> None:
    with pytest.raises(EpisodeFailed, match=f"score 'a' is not a finite number: {abbreviate(value)[:20]}"):
        scored(None, (1.0, done, {"a": value}), (1.0, True, {}))


@pytest.mark.parametrize("value", ["0.5", [1], {}])
def test_a_named_score_must_be_a_number(value: Any) -> None:
    with pytest.raises(EpisodeFailed, match="score 'a' is not a finite number"):
        scored("a", (1.0, True, {"a": value}))


def test_scores_are_those_of_the_last_step() -> None:
    assert scored(None, (None, False, {"a": 1.0}), (0.5, True, {})).scores is None
    with pytest.raises(Unscored, match="no score 'a'"):
        scored("a", (None, False, {"a": 1.0}), (0.5, True, {}))


@pytest.mark.parametrize("rule", ["final", "sum", "last", "max"])
def test_the_reward_of_the_reset_never_counts(rule: str) -> None:
    scoring = Scoring(None, rule)
    scoring.add(StepResult({}, 0.75, False, {"scores": {"a": 0.75}}, b""), reset=True)
    if rule == "final":
        with pytest.raises(Unscored):
            scoring.verdict()
    else:
        assert (scoring.verdict().reward, scoring.verdict().scores) == (0.0, None)


@pytest.mark.parametrize("rule", ["final", "sum", "last", "max"])
@pytest.mark.parametrize("reset", [False, True])
def test_a_reward_that_is_not_finite_fails_the_episode(rule: str, reset: bool) -> None:
    scoring = Scoring(None, rule)
    with pytest.raises(EpisodeFailed, match="reward is not a finite number: NaN"):
        scoring.add(StepResult({}, None, False, {}, b"", "NaN"), reset=reset)


def test_a_sum_beyond_the_range_of_a_float_fails_the_episode() -> None:
    scoring = Scoring(None, "sum")
    for _ in range(2):
        scoring.add(StepResult({}, 1.7e308, False, {}, b""))
    with pytest.raises(EpisodeFailed, match="not a finite number"):
        scoring.verdict()
