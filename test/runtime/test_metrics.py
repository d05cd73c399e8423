"""The metrics that NeMo Gym aggregates from rollouts."""

from __future__ import annotations

import json
from typing import Any

from fake_env import row


async def test_the_index_of_a_task_is_in_the_rollout_and_is_not_a_metric(fakes: Any, play: Any, verdict: Any) -> None:
    fake = await fakes()
    episodes = [await play(fake, row(index)) for index in (3, 8)]
    rollouts = [
        {**await verdict(episode), "_ng_task_index": task, "_ng_rollout_index": 0}
        for task, episode in enumerate(episodes)
    ]
    assert [rollout["index"] for rollout in rollouts] == [3, 8]
    body = json.dumps({"verify_responses": rollouts}).encode()
    answer = (await episodes[0].client.post("/aggregate_metrics", body, {})).json()
    names = {name for metrics in (answer["agent_metrics"], *answer["group_level_metrics"]) for name in metrics}
    assert "mean/reward" in names
    assert [name for name in names if name.endswith("/index")] == []
