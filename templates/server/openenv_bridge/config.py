"""Settings of the resources server, from its block in ``configs/<name>.yaml``. They are checked at startup."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from nemo_gym.base_resources_server import BaseResourcesServerConfig, ReverifyMode
from pydantic import ConfigDict, Field, field_validator, model_validator
from yarl import URL

from openenv_bridge.endpoint import check_headers, websocket_url

MAX_TIMEOUT_S = 30 * 24 * 3600.0  # event loops count milliseconds, in a limited number of bits
MAX_FRAME = 1024**3  # bytes; aiohttp's parser stores the length of a frame in 32 bits
# Keys of the same block that NeMo Gym reads, or that its own configs have for people.
GYM_KEYS = frozenset({"description", "verified", "verified_url", "value", "datasets", "license"})


class OpenEnvConfig(BaseResourcesServerConfig):
    """The descriptions are also the table of settings in docs/resources-server.md."""

    # The value of a header may be a secret, so errors do not repeat it.
    model_config = ConfigDict(hide_input_in_errors=True)

    # A score belongs to an episode, which no longer exists after /verify.
    REVERIFY_MODE: ClassVar[ReverifyMode] = ReverifyMode.UNSUPPORTED

    url: str | None = Field(
        None,
        description="Address of a running OpenEnv server: http, https, ws or wss, with or without a base path. "
        "Exactly one of `url` and `bundle` is required.",
    )
    environment: str | None = Field(
        None,
        description="Name of the environment that the server at `url` is expected to serve. If the server reports "
        "another name at startup, the server logs a warning, and each masked rollout says so in its reason.",
    )
    bundle: str | None = Field(
        None,
        description="AgentEnv bundle that this server serves itself: a folder, or the name of an installed bundle. "
        "A path that begins with a dot is relative to `configs/`.",
    )
    max_concurrent_envs: int = Field(
        8, description="Maximum number of episodes of the `bundle` at the same time. Further rollouts wait."
    )
    sandbox: str | None = Field(
        None, description="AgentEnv's sandbox provider, on which the environments of the `bundle` are deployed."
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="HTTP headers for the OpenEnv server. `$NAME` and `${NAME}` are replaced with environment "
        "variables at startup, and a missing variable stops the server. Redirects to another host are refused, so the "
        "headers are sent to no other host.",
    )
    tool_names: dict[str, str] = Field(
        default_factory=dict,
        description="Renamed tools: the name in the rows, and the OpenEnv server's own name. Written by "
        "`--rename-tool`.",
    )
    connect_timeout: float = Field(
        30.0,
        description="Time limit for connecting, in seconds. A server that refuses the connection or answers HTTP 429, "
        "502, 503 or 504 is retried with growing pauses. A `Retry-After` header extends the limit, up to "
        "`reset_timeout`.",
    )
    tool_timeout: float = Field(
        60.0, description="Time limit for one tool call, in seconds. A call that exceeds it ends the episode."
    )
    reset_timeout: float = Field(
        600.0,
        description="Time limit, in seconds, for the wait for a free session and the reset together; for one "
        "`end_turn` of the model, which may run a verifier; and for all `end_turn` calls of `/verify` together.",
    )
    idle_timeout: float = Field(
        600.0,
        description="Time, in seconds, after which a session without a request is closed. It starts with the last "
        "response and does not run during a call.",
    )
    max_frame: int = Field(
        32 * 1024 * 1024,
        description="Maximum size of one response of the OpenEnv server, in bytes (at most 1 GiB). A response with "
        "more than a million JSON values is rejected too, because a parsed value takes far more memory than its text.",
    )
    interface: Literal["tools", "action"] = Field(
        "tools",
        description="`tools` for an environment with tools (MCP); `action` for one with a single action, which the "
        "model calls as the tool `step`.",
    )
    fixed_fields: dict[str, Any] = Field(
        default_factory=dict,
        description="Fields that are added to each action and hidden from the model. Requires `interface: action`.",
    )
    reward_rule: Literal["final", "sum", "last", "max"] = Field(
        "final",
        description="How the rewards of the steps become the score: `final` takes the reward that ends the episode, "
        "or else the last reward; `sum`, `last` and `max` count a step without a reward as 0.",
    )
    reward: str | None = Field(
        None,
        min_length=1,
        description="Name of the score in `metadata.scores` to use as the reward, in place of the observation's "
        "reward.",
    )

    @model_validator(mode="before")
    @classmethod
    def _reject_unknown_keys(cls, data: Any) -> Any:
        """A misspelled setting must not be ignored."""
        if isinstance(data, Mapping):
            unknown = [str(key) for key in data if key not in cls.model_fields and key not in GYM_KEYS]
            if unknown:
                raise ValueError("; ".join(_unknown_key(key, cls.model_fields) for key in unknown))
        return data

    @field_validator("url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        if value is not None:
            websocket_url(value)
        return value

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if (self.url is None) == (self.bundle is None):
            raise ValueError(
                "must have either url, for an OpenEnv server that is running, or bundle, for a bundle to serve"
            )
        return self

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        if self.fixed_fields and self.interface != "action":
            raise ValueError("has fixed_fields without interface: action")
        if self.reward is not None and self.reward_rule != "final":
            raise ValueError("has both reward and reward_rule: remove reward_rule, which does not apply to a score")
        return self

    @model_validator(mode="after")
    def _check_authorization(self) -> Self:
        """aiohttp rejects a request with a user in the URL and an Authorization header."""
        names = {name.lower() for name in self.headers}
        if self.url is not None and "authorization" in names:
            url = URL(self.url.strip())
            if url.raw_user is not None or url.raw_password is not None:
                raise ValueError("has a user in url and an Authorization header: remove one of them")
        return self

    @field_validator(
        "connect_timeout",
        "tool_timeout",
        "reset_timeout",
        "idle_timeout",
        "max_frame",
        "max_concurrent_envs",
        mode="before",
    )
    @classmethod
    def _check_positive(cls, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0 or not _is_finite(value):
            raise ValueError("must be a positive, finite number")
        return value

    @field_validator("connect_timeout", "tool_timeout", "reset_timeout", "idle_timeout")
    @classmethod
    def _check_timeout(cls, value: float) -> float:
        if value > MAX_TIMEOUT_S:
            raise ValueError(f"must be at most {MAX_TIMEOUT_S:.0f} seconds (30 days)")
        return value

    @field_validator("max_frame")
    @classmethod
    def _check_max_frame(cls, value: int) -> int:
        if value > MAX_FRAME:
            raise ValueError(f"must be at most {MAX_FRAME} bytes (1 GiB)")
        return value

    @field_validator("num_workers")
    @classmethod
    def _check_workers(cls, value: int | None) -> int | None:
        if value is not None and value > 1:
            raise ValueError("must be 1: an episode lives in the process that seeded it, and other workers lack it")
        return value

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, value: dict[str, str]) -> dict[str, str]:
        check_headers(value)
        return value

    @field_validator("tool_names")
    @classmethod
    def _check_tool_names(cls, value: dict[str, str]) -> dict[str, str]:
        if len(set(value.values())) < len(value):
            raise ValueError("gives two names to one of the server's tools")
        return value

    @field_validator("fixed_fields")
    @classmethod
    def _check_fixed_fields(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name, field in value.items():
            if not _is_json(field):
                raise ValueError(f"{name} has a value that is not JSON")
        return value


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_json(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(_is_json(item) for item in value)
    return value is None or isinstance(value, str | int)


def _unknown_key(key: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"{key!r} is not a setting" + (f"; did you mean {near[0]!r}?" if near else "")
