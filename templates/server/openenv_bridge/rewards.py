"""From an episode's answers to its score.

    rule     the score                                                            without any reward
    final    the episode's last word: what ends it, as servers with tasks give it   no score
    sum      of what the steps gave, as environments give that reward each of them  0
    last     what the last step gave                                                0
    max      the most that a step gave                                              0

What the reset gives is never the score. A step that gives nothing gives 0, except with ``final``. A reward or score
that is not a finite number fails the episode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from openenv_bridge.mask import EpisodeFailed, Mask, Unscored
from openenv_bridge.wire import Answer, finite, shown, utf8


@dataclass(frozen=True, slots=True)
class Verdict:
    """What /verify says of a rollout, in the words of NeMo Gym's ``BaseVerifyResponse``."""

    reward: float = 0.0
    mask: Mask | None = None
    scores: Mapping[str, float] | None = None
    components: bool = False

    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "reward": self.reward,
            "mask_sample": self.mask is not None,
            "failure_kind": self.mask.kind if self.mask else None,
            "failure_reason": self.mask.reason if self.mask else None,
        }
        if self.scores:
            fields["scores"] = dict(self.scores)
            if self.components:
                fields["reward_components"] = dict(self.scores)
        return fields


RULES: Mapping[str, Callable[[float | None, float], float]] = {
    "sum": lambda sofar, reward: (sofar or 0.0) + reward,
    "last": lambda _, reward: reward,
    "max": lambda sofar, reward: reward if sofar is None else max(sofar, reward),
}


class Scoring:
    """``step`` is the score of ``metadata.scores`` that is the reward, if the config names one."""

    def __init__(self, step: str | None, rule: str = "final") -> None:
        self._step = step
        self._add = RULES.get(rule)
        self._reward: float | None = None
        self._scores: dict[str, float] = {}

    def see(self, answer: Answer, *, reset: bool = False) -> None:
        """Take an answer into account. Raises EpisodeFailed for a reward or score that is not a finite number."""
        if self._step is None and answer.unreadable_reward is not None:
            raise EpisodeFailed(f"the environment's reward is not a finite number: {answer.unreadable_reward}")
        scores = self._scores_of(answer)
        if reset:
            return
        self._scores = scores
        if self._add is not None:
            self._reward = self._add(self._reward, answer.reward or 0.0)
        elif answer.reward is not None or answer.done:
            self._reward = answer.reward

    def verdict(self) -> Verdict:
        """Raises Unscored if the environment gave no score, which is not the same as a score of 0."""
        reward = self._reward if self._step is None else self._scores.get(self._step)
        if reward is None and self._add is not None:
            reward = 0.0  # of no steps
        if reward is None and self._step is not None:
            given = ", ".join(sorted(self._scores)) or "none"
            raise Unscored(f"the episode has no score {self._step!r} (the config's reward); it has: {given}")
        if reward is None:
            raise Unscored("the episode ended without a reward")
        if not math.isfinite(reward):
            raise EpisodeFailed("the sum of the environment's rewards is not a finite number")
        # With a step chosen, the other scores are not parts of the reward, even if they happen to add up to it.
        components = self._step is None and math.isclose(sum(self._scores.values()), reward, abs_tol=1e-9)
        return Verdict(reward, scores=self._scores or None, components=components)

    def _scores_of(self, answer: Answer) -> dict[str, float]:
        """The answer's scores, without those that were not given (null) and details that are not numbers. Like a
        reward, the score that the config names may be true or false."""
        given = answer.metadata.get("scores")
        found: dict[str, float] = {}
        for name, score in given.items() if isinstance(given, Mapping) else ():
            if score is None or (isinstance(score, bool) and name != self._step):
                continue
            number = finite(score)
            if number is not None:
                found[utf8(name)] = number
            elif isinstance(score, int | float) or name == self._step:
                raise EpisodeFailed(f"the environment's score {name!r} is not a finite number: {shown(score)}")
        return found
