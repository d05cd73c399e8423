"""A NeMo Gym resources server that plays each rollout as one episode of an OpenEnv server.

``app.py`` runs ``OpenEnvResourcesServer``. A request passes through these modules, from top to bottom:

    server.py               Gym's HTTP routes
    lifespan.py             startup, signals and shutdown
    sessions.py             sessions by id: seeding, the idle timeout, verdicts of finished sessions
    episode.py              the state machine of one episode
    idempotency.py          a tool call that Gym posts twice runs once
    environment.py          the environment of an episode: reset, step, score
    tool_environment.py     ... with tools: tool calls, turns, the end of the episode
    action_environment.py   ... with one action
    client.py               opens sessions on the OpenEnv server, and waits while it is full
    environment_check.py    whether the server serves the environment of the rows
    concurrency.py          how many sessions are open at once, and who waits
    connector.py            connects, and retries while the server is busy
    endpoint.py             URL, headers and proxy of the OpenEnv server
    websocket.py            the WebSocket of one session
    messages.py             OpenEnv's messages, built on json_codec.py

These modules interpret what passes through:

    config.py               settings, with defaults and units
    row.py                  the task and the tools of a row
    verify_body.py          the request and the response of /verify
    tool_calls.py           arguments of a tool call, and the text that the model reads
    observation_text.py     the text of an observation
    tool_schemas.py         compares the environment's tools with those of the row
    rewards.py              the score
    mask.py                 why a rollout has no score
    mcp_tools.py            the tools for agents that use MCP
"""

from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.server import OpenEnvResourcesServer

__all__ = ["OpenEnvConfig", "OpenEnvResourcesServer"]
