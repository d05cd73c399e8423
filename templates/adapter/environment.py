"""The environment that verifiers loads by the id in ``vf_env_id``, which is the name of this module."""

from openenv_verifiers import load_environment

__all__ = ["load_environment"]
