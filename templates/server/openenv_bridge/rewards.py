"""From an episode's answers to its score.

There is one rule: the episode's last word counts. The observation that ends the episode has its reward, as servers
with tasks give it. Another rule (a sum of steps, say) is another way for ``Scoring.see`` to remember.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openenv_bridge.mask import Mask, Unscored
from openenv_bridge.wire import Answer, utf8


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


class Scoring:
    """``step`` is the score of ``metadata.scores`` that is the reward, where the config names one."""

    def __init__(self, step: str | None) -> None:
        self._step = step
        self._reward: float | None = None
        self._scores: dict[str, float] = {}

    def see(self, answer: Answer) -> None:
        if answer.reward is not None or answer.done:
            self._reward = answer.reward
        scores = answer.metadata.get("scores")
        if isinstance(scores, Mapping):
            self._scores = {utf8(name): float(score) for name, score in scores.items() if _is_number(score)}

    def verdict(self) -> Verdict:
        """Raises Unscored where the environment gave no score, which is not the same as a score of 0."""
        reward = self._reward if self._step is None else self._scores.get(self._step)
        if reward is None and self._step is not None:
            given = ", ".join(sorted(self._scores)) or "none"
            raise Unscored(f"the episode has no score {self._step!r} (the config's reward); it has: {given}")
        if reward is None:
            raise Unscored("the episode ended without a reward")
        # With a step chosen, the other scores are no parts of the reward, even where they happen to add up to it.
        components = self._step is None and math.isclose(sum(self._scores.values()), reward, abs_tol=1e-9)
        return Verdict(reward, scores=self._scores or None, components=components)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
