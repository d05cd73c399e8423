"""NeMo Gym's simple_agent, for rows that went through Axolotl's loader.

Axolotl 0.21.0 stores all rows in one Arrow column, which adds keys with null, and finds a row again by its first user
message. So a row in the training file has one unique message and its original as text (``gymgen_row``), and this agent
plays the original. Axolotl does not read ``mask_sample``, but leaves a response with ``error`` out of the loss.
"""

from __future__ import annotations

import json

from fastapi import Request
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentRunRequest, SimpleAgentVerifyResponse


class AxolotlAgent(SimpleAgent):
    async def run(self, request: Request, body: SimpleAgentRunRequest) -> SimpleAgentVerifyResponse:
        result = await super().run(request, original(body))
        if not getattr(result, "mask_sample", False):
            return result
        reason = getattr(result, "failure_reason", None) or "no reason"
        return SimpleAgentVerifyResponse.model_validate(result.model_dump() | {"error": f"masked: {reason}"})


def original(body: SimpleAgentRunRequest) -> SimpleAgentRunRequest:
    """Return the row whose text is in ``body``, with the trainer's sampling, or ``body`` if it has no such text."""
    text = (body.model_extra or {}).get("gymgen_row")
    if not isinstance(text, str):
        return body
    row = json.loads(text)
    asked = body.responses_create_params.model_dump(include={"temperature", "top_p", "max_output_tokens"})
    sampling = {name: value for name, value in asked.items() if value is not None}
    own_limit = row["responses_create_params"].get("max_output_tokens")  # as in Axolotl, the row's own limit wins
    row["responses_create_params"] |= sampling | ({} if own_limit is None else {"max_output_tokens": own_limit})
    return SimpleAgentRunRequest.model_validate(row)


if __name__ == "__main__":
    AxolotlAgent.run_webserver()
