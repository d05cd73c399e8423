"""Plays the tasks of OpenEnv servers as a verifiers environment, for NeMo Gym's ``verifiers_agent``.

The module that verifiers loads imports ``load_environment`` from here. The episodes are those of ``openenv_bridge``, so
tasks, tools and rewards are the same as with the resources server. The agent has no masks: a rollout whose environment
failed has reward 0.
"""

from openenv_verifiers.environment import OpenEnvTasks, load_environment

__all__ = ["OpenEnvTasks", "load_environment"]
