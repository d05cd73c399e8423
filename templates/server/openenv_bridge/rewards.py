"""Computes the score of an episode from the rewards of its steps.

    rule     score                                                       score without any reward
    final    the reward of the step that ends the episode, or else the   none
             last reward; for servers that score a whole task
    sum      the sum of the rewards                                      0
    last     the reward of the last step                                 0
    max      the highest reward of a step                                0

The reward of the reset never counts. A step without a reward counts as 0, except with ``final``. A reward or score that
is not a finite number fails the episode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from openenv_bridge.json_codec import abbreviate, finite, replace_surrogates
from openenv_bridge.mask import EpisodeFailed, Mask, Unscored
from openenv_bridge.messages import StepResult


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a rollout, in the fields of NeMo Gym's ``BaseVerifyResponse``."""

    reward: float = 0.0
    mask: Mask | None = None
    scores: Mapping[str, float] | None = None
    has_components: bool = False

    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "reward": self.reward,
            "mask_sample": self.mask is not None,
            "failure_kind": self.mask.kind if self.mask else None,
            "failure_reason": self.mask.reason if self.mask else None,
        }
        if self.scores:
            fields["scores"] = dict(self.scores)
            if self.has_components:
                fields["reward_components"] = dict(self.scores)
        return fields


RULES: Mapping[str, Callable[[float | None, float], float]] = {
    "sum": lambda total, reward: (total or 0.0) + reward,
    "last": lambda _, reward: reward,
    "max": lambda highest, reward: reward if highest is None else max(highest, reward),
}


class Scoring:
    """Collects the rewards of one episode.

    ``score_name`` selects one of ``metadata.scores`` as the reward, in place of the observation's reward.
    """

    def __init__(self, score_name: str | None, rule: str = "final") -> None:
        self._score_name = score_name
        self._combine = RULES.get(rule)
        self._reward: float | None = None
        self._scores: dict[str, float] = {}

    def add(self, result: StepResult, *, reset: bool = False) -> None:
        """Add a step. Raises EpisodeFailed if a reward or score is not a finite number, also for a reset."""
        if self._score_name is None and result.invalid_reward is not None:
            raise EpisodeFailed(f"the environment's reward is not a finite number: {result.invalid_reward}")
        scores = self._read_scores(result)
        if reset:
            return
        self._scores = scores
        if self._combine is not None:
            self._reward = self._combine(self._reward, result.reward or 0.0)
        elif result.reward is not None or result.done:
            self._reward = result.reward

    def verdict(self) -> Verdict:
        """Return the score. Raises Unscored if the environment gave none, which differs from a score of 0."""
        reward = self._reward if self._score_name is None else self._scores.get(self._score_name)
        if reward is None and self._combine is not None:
            reward = 0.0  # the episode had no steps
        if reward is None and self._score_name is not None:
            names = ", ".join(sorted(self._scores)) or "none"
            raise Unscored(f"the episode has no score {self._score_name!r} (the config's reward); it has: {names}")
        if reward is None:
            raise Unscored("the episode ended without a reward")
        if not math.isfinite(reward):
            raise EpisodeFailed("the sum of the environment's rewards is not a finite number")
        # If the config selects a score, the others are not parts of the reward, even if they add up to it.
        has_components = self._score_name is None and math.isclose(sum(self._scores.values()), reward, abs_tol=1e-9)
        return Verdict(reward, scores=self._scores or None, has_components=has_components)

    def _read_scores(self, result: StepResult) -> dict[str, float]:
        """Return the numeric scores. The score that the config selects may also be true or false, like a reward."""
        raw_scores = result.metadata.get("scores")
        scores: dict[str, float] = {}
        for name, score in raw_scores.items() if isinstance(raw_scores, Mapping) else ():
            if score is None or (isinstance(score, bool) and name != self._score_name):
                continue
            number = finite(score)
            if number is not None:
                scores[replace_surrogates(name)] = number
            elif isinstance(score, int | float) or name == self._score_name:
                raise EpisodeFailed(f"the environment's score {name!r} is not a finite number: {abbreviate(score)}")
        return scores
