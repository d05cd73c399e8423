"""A NeMo Gym resources server that plays the tasks of an OpenEnv server, one episode a rollout.

``OpenEnvResourcesServer`` is all that an ``app.py`` needs. Inside, a request goes down through:

    server.py      the routes, and nothing else
    sessions.py    episodes by session id: seeding, idle limit, what is remembered of finished ones
    episode.py     the state machine of one episode
    calls.py       a call that Gym posts again isn't run again
    arguments.py   arguments that can't be sent, which the model reads
    openenv.py     the OpenEnv server: its address, its free sessions (slots.py), its sockets (connection.py, wire.py)
    bundle.py      an AgentEnv bundle as that server, in a child process: serve_bundle.py, with loopback.py and
                   toolset_key.py beside it, which run without NeMo Gym
    action.py      an environment that has one action in place of tools

and what an answer means is decided in text.py and observation_text.py (what the model reads), toolcheck.py (is this
what the row shows?), outage.py (is the environment still there?), rewards.py (the score) and mask.py (what is not a
score).
"""

from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.server import OpenEnvResourcesServer

__all__ = ["OpenEnvConfig", "OpenEnvResourcesServer"]
