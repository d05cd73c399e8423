"""From answers to scores."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.mask import EpisodeFailed, Unscored
from openenv_bridge.rewards import Scoring, Verdict
from openenv_bridge.wire import Answer, shown


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


def test_details_among_the_scores_are_left_out() -> None:
    verdict = scored(None, (1.0, True, {"a": 1.0, "b": None, "c": "x", "d": True, "\ud83d": 0.0}))
    assert verdict.fields()["scores"] == {"a": 1.0, "?": 0.0}


@pytest.mark.parametrize("passed", [True, False])
def test_the_configs_step_may_be_true_or_false(passed: bool) -> None:
    assert scored("passed", (None, True, {"passed": passed, "other": True})).fields()["scores"] == {"passed": passed}


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 10**400])
@pytest.mark.parametrize("done", [False, True])
def test_a_score_that_is_not_finite_fails_the_episode(value: Any, done: bool) -> None:
    with pytest.raises(EpisodeFailed, match=f"score 'a' is not a finite number: {shown(value)[:20]}"):
        scored(None, (1.0, done, {"a": value}), (1.0, True, {}))


@pytest.mark.parametrize("value", ["0.5", [1], {}])
def test_the_configs_score_must_be_a_number(value: Any) -> None:
    with pytest.raises(EpisodeFailed, match="score 'a' is not a finite number"):
        scored("a", (1.0, True, {"a": value}))


def test_scores_are_those_of_the_answer_that_ends_the_episode() -> None:
    assert scored(None, (None, False, {"a": 1.0}), (0.5, True, {})).scores is None
    with pytest.raises(Unscored, match="no score 'a'"):
        scored("a", (None, False, {"a": 1.0}), (0.5, True, {}))


@pytest.mark.parametrize("rule", ["final", "sum", "last", "max"])
def test_what_the_reset_gives_is_never_the_score(rule: str) -> None:
    scoring = Scoring(None, rule)
    scoring.see(Answer({}, 0.75, False, {"scores": {"a": 0.75}}, b""), reset=True)
    if rule == "final":
        with pytest.raises(Unscored):
            scoring.verdict()
    else:
        assert (scoring.verdict().reward, scoring.verdict().scores) == (0.0, None)


@pytest.mark.parametrize("rule", ["final", "sum", "last", "max"])
@pytest.mark.parametrize("reset", [False, True])
def test_a_reward_that_is_not_finite_fails_the_episode_whatever_comes_after(rule: str, reset: bool) -> None:
    scoring = Scoring(None, rule)
    with pytest.raises(EpisodeFailed, match="reward is not a finite number: NaN"):
        scoring.see(Answer({}, None, False, {}, b"", "NaN"), reset=reset)


def test_a_sum_beyond_all_floats_is_no_score() -> None:
    scoring = Scoring(None, "sum")
    for _ in range(2):
        scoring.see(Answer({}, 1.7e308, False, {}, b""))
    with pytest.raises(EpisodeFailed, match="not a finite number"):
        scoring.verdict()
