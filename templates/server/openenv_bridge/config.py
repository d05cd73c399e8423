"""The keys that the resources server reads of its block in ``configs/<name>.yaml``, checked when it starts."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, ClassVar, Literal, Self

from nemo_gym.base_resources_server import BaseResourcesServerConfig, ReverifyMode
from pydantic import ConfigDict, Field, field_validator, model_validator
from yarl import URL

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

LONGEST_S = 30 * 24 * 3600.0  # a time limit: event loops count in milliseconds, and not without end
LARGEST_FRAME = 1024**3  # aiohttp's parser has 32 bits for it
# Keys of a server's block that NeMo Gym reads, or its own configs have for people; they are none of the server's.
GYM_KEYS = frozenset({"description", "verified", "verified_url", "value", "datasets", "license"})
# What the handshake of a websocket sends itself. Another value would break every connection.
HANDSHAKE = frozenset({"connection", "content-length", "transfer-encoding", "upgrade"})


class ConfigError(Exception):
    """The config is well-formed, but can't be used here."""


class OpenEnvConfig(BaseResourcesServerConfig):
    """Exactly one of ``url`` and ``bundle`` is required. Times are in seconds."""

    # A header's value may be a secret that was written out: errors don't repeat what they refuse.
    model_config = ConfigDict(hide_input_in_errors=True)

    REVERIFY_MODE: ClassVar[ReverifyMode] = ReverifyMode.UNSUPPORTED  # a score belongs to the episode, which is gone

    url: str | None = Field(None, description="Address of an OpenEnv server that runs already.")
    bundle: str | None = Field(
        None,
        description="AgentEnv bundle that this server serves itself: a folder (with a leading dot: relative to "
        "configs/), or the name of an installed one.",
    )
    max_concurrent_envs: int = Field(8, description="Episodes of the bundle at once.")
    sandbox: str | None = Field(None, description="AgentEnv's provider that the bundle's environments are deployed on.")
    headers: dict[str, str] = Field(
        default_factory=dict, description="Headers for the OpenEnv server; $NAME is taken from the environment."
    )
    tool_names: dict[str, str] = Field(
        default_factory=dict, description="Names of tools in the rows, and the server's own names for them."
    )
    connect_timeout: float = Field(
        30.0, description="Time limit for a connection to a server that refuses it or is busy (HTTP 429, 502 to 504)."
    )
    tool_timeout: float = Field(60.0, description="Time limit for one tool call.")
    reset_timeout: float = Field(
        600.0, description="Time limit for a free session and the reset together; and for all end_turns of /verify."
    )
    idle_timeout: float = Field(600.0, description="Time without a request after which an episode is ended.")
    max_frame: int = Field(32 * 1024 * 1024, description="Largest answer of the OpenEnv server, in bytes.")
    interface: Literal["tools", "action"] = Field(
        "tools", description="Whether the environment has tools of its own (MCP), or one action, as the tool step."
    )
    fixed_fields: dict[str, Any] = Field(
        default_factory=dict, description="Fields that each action has, and that the model is not asked for."
    )
    reward_rule: Literal["final", "sum", "last", "max"] = Field(
        "final", description="How the rewards of steps become the score."
    )
    reward: str | None = Field(
        None, min_length=1, description="The step of metadata.scores that is the reward, instead of the observation's."
    )

    @model_validator(mode="before")
    @classmethod
    def _no_unknown_keys(cls, data: Any) -> Any:
        """A misspelled setting must not be ignored."""
        if isinstance(data, Mapping):
            unknown = [str(key) for key in data if key not in cls.model_fields and key not in GYM_KEYS]
            if unknown:
                raise ValueError("; ".join(_unknown(key, cls.model_fields) for key in unknown))
        return data

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

    @model_validator(mode="after")
    def _one_authorization(self) -> Self:
        """aiohttp refuses a request with both."""
        names = {name.lower() for name in self.headers}
        if self.url is not None and "authorization" in names:
            url = URL(self.url.strip())
            if url.raw_user is not None or url.raw_password is not None:
                raise ValueError("has a user in url and an Authorization header: leave one of them out")
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
    def _positive(cls, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0 or not _is_finite(value):
            raise ValueError("must be a positive, finite number")
        return value

    @field_validator("connect_timeout", "tool_timeout", "reset_timeout", "idle_timeout")
    @classmethod
    def _bounded_time(cls, value: float) -> float:
        if value > LONGEST_S:
            raise ValueError(f"must be at most {LONGEST_S:.0f} seconds (30 days)")
        return value

    @field_validator("max_frame")
    @classmethod
    def _bounded_frame(cls, value: int) -> int:
        if value > LARGEST_FRAME:
            raise ValueError(f"must be at most {LARGEST_FRAME} bytes (1 GiB)")
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
        seen: set[str] = set()
        for name, text in value.items():
            if not _HEADER_NAME.fullmatch(name):
                raise ValueError(f"{name!r} can't be the name of an HTTP header")
            if name.lower() in HANDSHAKE or name.lower().startswith("sec-websocket-"):
                raise ValueError(f"{name} is a header of the connection itself, which can't be set")
            if name.lower() in seen:
                raise ValueError(f"{name} is there twice: names of headers have no case")
            seen.add(name.lower())
            _check_header(name, text)
        return value

    @field_validator("tool_names")
    @classmethod
    def _one_name_each(cls, value: dict[str, str]) -> dict[str, str]:
        if len(set(value.values())) < len(value):
            raise ValueError("gives one of the server's tools two names")
        return value

    @field_validator("fixed_fields")
    @classmethod
    def _json_fields(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name, field in value.items():
            if not _is_json(field):
                raise ValueError(f"{name} has a value that is not JSON")
        return value


def expand(headers: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """``headers`` with each ``$NAME`` and ``${NAME}`` replaced from the environment.

    Raises ConfigError if a variable isn't set or can't be part of a header, naming it and its header, never a value.
    """

    def lookup(header: str, match: re.Match[str]) -> str:
        variable = match[1] or match[2]
        if not environ.get(variable):
            raise ConfigError(f"the header {header} needs the environment variable {variable}, which is not set")
        value = environ[variable].strip()
        try:
            _check_header(header, value)
        except ValueError as e:
            raise ConfigError(f"the environment variable {variable} can't be used: {e}") from None
        return value

    return {
        name: _VARIABLE.sub(lambda match, header=name: lookup(header, match), text) for name, text in headers.items()
    }


def websocket_url(url: str) -> URL:
    """The websocket of the OpenEnv server at ``url`` (http, https, ws or wss; with a base path or none)."""
    wrong = f"{_public(url)!r} is not the address of an OpenEnv server: it should look like http://127.0.0.1:8000"
    try:
        parsed = URL(url.strip())
    except ValueError:
        raise ValueError(wrong) from None
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parsed.scheme)
    if scheme is None or not parsed.raw_host or not _is_host(parsed.raw_host) or parsed.port == 0:
        raise ValueError(wrong)
    base = parsed.path.rstrip("/")
    path = base if base.endswith("/ws") else base + "/ws"
    return parsed.with_scheme(scheme).with_path(path, keep_query=True).with_fragment(None)


def _public(url: str) -> str:
    """An address for a message, without what may be a password or a token."""
    return re.sub(r"//[^/@]*@", "//", url).partition("?")[0]


def _is_host(host: str) -> bool:
    """Whether ``host`` can be looked up: an IP address, or labels of 1 to 63 characters (RFC 1035, section 2.3.4)."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        labels = host.removesuffix(".").split(".")
        return len(host) <= 253 and all(0 < len(label) <= 63 for label in labels)
    return True


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


def _check_header(name: str, text: str) -> None:
    """Raises ValueError without the text, which may be a secret."""
    if _CONTROL.search(text):
        raise ValueError(f"the value of {name} has a line break or another control character")


def _unknown(key: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"{key!r} is not a setting" + (f"; did you mean {near[0]!r}?" if near else "")
