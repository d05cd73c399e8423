"""Serves an AgentEnv bundle in a child process, for the resources server in ``openenv_bridge``.

    bundle.py         starts the child, and restarts it if it dies
    leftovers.py      kills the processes that a dead child leaves behind
    serve_bundle.py   the program of the child, which runs without NeMo Gym
    toolset_key.py    ... which tasks of the bundle have the same tools
    loopback.py       ... serves an app on loopback, for one client

Only a resources server whose config has ``bundle`` contains this package.
"""

from .bundle import Bundle

__all__ = ["Bundle"]
