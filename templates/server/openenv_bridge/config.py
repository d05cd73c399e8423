"""The keys that the resources server reads of its block in ``configs/<name>.yaml``, checked when it starts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from nemo_gym.base_resources_server import BaseResourcesServerConfig, ReverifyMode
from pydantic import ConfigDict, Field, field_validator, model_validator
from yarl import URL

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class ConfigError(Exception):
    """The config is well-formed, but can't be used here."""


class OpenEnvConfig(BaseResourcesServerConfig):
    """Exactly one of ``url`` and ``bundle`` is required. Times are in seconds, ``max_frame`` is in bytes."""

    # A header's value may be a secret that was written out: errors don't repeat what they refuse.
    model_config = ConfigDict(hide_input_in_errors=True)

    REVERIFY_MODE: ClassVar[ReverifyMode] = ReverifyMode.UNSUPPORTED  # a score belongs to the episode, which is gone

    url: str | None = None  # of an OpenEnv server that somebody else runs
    bundle: str | None = None  # to be served from here: a folder (one with a dot: from configs/), or an installed name
    max_concurrent_envs: int = 8  # episodes of the bundle at once
    sandbox: str | None = None  # AgentEnv's provider that the bundle's environments are deployed on
    headers: dict[str, str] = Field(default_factory=dict)
    tool_names: dict[str, str] = Field(default_factory=dict)  # name in the rows -> the server's own name
    tool_timeout: float = 60.0  # one tool call
    reset_timeout: float = 600.0  # a free session and the reset together; and each end_turn
    idle_timeout: float = 600.0  # a session without a request, after which its episode is ended
    max_frame: int = 128 * 1024 * 1024
    interface: Literal["tools", "action"] = "tools"  # tools of the environment's own (MCP), or the one tool "step"
    fixed_fields: dict[str, Any] = Field(default_factory=dict)  # that each action has, and the model isn't shown
    reward_rule: Literal["final", "sum", "last", "max"] = "final"  # how rewards of steps become the score: rewards.py
    reward: str | None = None  # the step of metadata.scores that is the reward; else the observation's reward

    @field_validator("url")
    @classmethod
    def _openenv_address(cls, value: str | None) -> str | None:
        if value is not None:
            websocket_url(value)
        return value

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.url is None) == (self.bundle is None):
            raise ValueError(
                "must have either url, where an OpenEnv server runs, or bundle, which is then served from here"
            )
        return self

    @model_validator(mode="after")
    def _rules_that_go_together(self) -> Self:
        if self.fixed_fields and self.interface != "action":
            raise ValueError("has fixed_fields, which are of an action: interface: action")
        if self.reward is not None and self.reward_rule != "final":
            raise ValueError("has a reward by its name, which is what an episode ends with: leave reward_rule out")
        return self

    @field_validator("tool_timeout", "reset_timeout", "idle_timeout", "max_frame", "max_concurrent_envs", mode="before")
    @classmethod
    def _positive(cls, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            raise ValueError("must be a positive, finite number")
        return value

    @field_validator("num_workers")
    @classmethod
    def _one_worker(cls, value: int | None) -> int | None:
        if value is not None and value > 1:
            raise ValueError(
                "must be 1: an episode lives in the process that seeded it, and another worker would not find it"
            )
        return value

    @field_validator("headers")
    @classmethod
    def _possible_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _HEADER_NAME.fullmatch(name):
                raise ValueError(f"{name!r} can't be the name of an HTTP header")
            if any(c in text for c in "\r\n\0"):
                raise ValueError(f"the value of {name} has a line break")
        return value

    @field_validator("tool_names")
    @classmethod
    def _one_name_each(cls, value: dict[str, str]) -> dict[str, str]:
        if len(set(value.values())) < len(value):
            raise ValueError("gives one of the server's tools two names")
        return value


def expand(headers: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """``headers`` with each ``$NAME`` and ``${NAME}`` replaced from the environment.

    Raises ConfigError where a variable isn't set, naming it and its header, never a value.
    """

    def lookup(header: str, match: re.Match[str]) -> str:
        variable = match[1] or match[2]
        if not environ.get(variable):
            raise ConfigError(f"the header {header} needs the environment variable {variable}, which is not set")
        return environ[variable].strip()

    return {
        name: _VARIABLE.sub(lambda match, header=name: lookup(header, match), text) for name, text in headers.items()
    }


def websocket_url(url: str) -> URL:
    """The websocket of the OpenEnv server at ``url`` (http, https, ws or wss; with a base path or none)."""
    parsed = URL(url.strip())
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parsed.scheme)
    if scheme is None or not parsed.host:
        raise ValueError(f"{url!r} is not the address of an OpenEnv server: it should look like http://127.0.0.1:8000")
    base = parsed.path.rstrip("/")
    path = base if base.endswith("/ws") else base + "/ws"
    return parsed.with_scheme(scheme).with_path(path, keep_query=True).with_fragment(None)
