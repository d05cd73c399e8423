"""The agent of ``gymgen trainer axolotl --fix``: which row it plays, and how it answers a masked rollout."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentRunRequest, SimpleAgentVerifyResponse

APP = Path(__file__).parents[2] / "templates/trainers/axolotl/responses_api_agents/axolotl_agent/app.py"

ROW = {
    "responses_create_params": {"input": [{"role": "user", "content": "the prompt"}], "tools": []},
    "agent_ref": {"type": "responses_api_agents", "name": "shop_simple_agent"},
    "split": "train",
    "index": 3,
}
RESPONSE = {
    "id": "r",
    "created_at": 0,
    "model": "m",
    "object": "response",
    "output": [],
    "parallel_tool_calls": False,
    "tool_choice": "auto",
    "tools": [],
}


@pytest.fixture(scope="module")
def app() -> Any:
    spec = importlib.util.spec_from_file_location("axolotl_agent_app", APP)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fixed(row: dict[str, Any], **sampling: Any) -> SimpleAgentRunRequest:
    params = {"input": [{"role": "user", "content": "shop train 1"}], **sampling}
    return SimpleAgentRunRequest.model_validate({"responses_create_params": params, "gymgen_row": json.dumps(row)})


def run(app: Any, monkeypatch: pytest.MonkeyPatch, body: SimpleAgentRunRequest, **result: Any) -> tuple[Any, Any]:
    """Returns the row that is played, and the answer."""
    played: list[SimpleAgentRunRequest] = []

    async def play(_self: SimpleAgent, _request: Any, row: SimpleAgentRunRequest) -> SimpleAgentVerifyResponse:
        played.append(row)
        answer = row.model_dump() | {"response": RESPONSE, "reward": 0.5} | result
        return SimpleAgentVerifyResponse.model_validate(answer)

    monkeypatch.setattr(SimpleAgent, "run", play)
    answer = asyncio.run(app.AxolotlAgent.model_construct().run(None, body))
    return played[0].model_dump(), answer.model_dump()


def test_it_plays_the_original_row_with_the_sampling_of_the_trainer(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sampling = {"temperature": 0.5, "top_p": 0.9, "max_output_tokens": 64}
    played, answer = run(app, monkeypatch, fixed(ROW, **sampling))
    assert played["responses_create_params"]["input"][0]["content"] == "the prompt"
    assert {name: played["responses_create_params"][name] for name in sampling} == sampling
    assert (played["split"], played["index"]) == ("train", 3)
    assert "gymgen_row" not in played
    assert answer["reward"] == 0.5
    assert "error" not in answer


def test_the_rows_own_limit_wins(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROW | {"responses_create_params": {"input": "hi", "max_output_tokens": 7, "temperature": 1.0}}
    played, _ = run(app, monkeypatch, fixed(row, max_output_tokens=64, temperature=0.5))
    params = played["responses_create_params"]
    assert (params["max_output_tokens"], params["temperature"]) == (7, 0.5)


def test_sampling_that_the_trainer_leaves_out_stays_as_in_the_row(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROW | {"responses_create_params": {"input": "hi", "temperature": 1.0}}
    played, _ = run(app, monkeypatch, fixed(row))
    assert played["responses_create_params"]["temperature"] == 1.0


def test_a_row_without_its_text_is_played_as_it_is(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    played, _ = run(app, monkeypatch, SimpleAgentRunRequest.model_validate(ROW))
    assert played["responses_create_params"]["input"][0]["content"] == "the prompt"


def test_a_masked_rollout_is_answered_with_an_error(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, answer = run(app, monkeypatch, fixed(ROW), mask_sample=True, failure_reason="the server went away")
    assert answer["error"] == "masked: the server went away"
    _, answer = run(app, monkeypatch, fixed(ROW), mask_sample=True)
    assert answer["error"] == "masked: no reason"
    _, answer = run(app, monkeypatch, fixed(ROW), mask_sample=False, failure_reason="none")
    assert "error" not in answer
