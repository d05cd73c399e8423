"""Checks of the config, and their error messages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from pydantic import ValidationError

import documented
from openenv_bridge import OpenEnvConfig
from openenv_bridge.endpoint import ConfigError, expand_headers, websocket_url
from serving import bridge

BASE = {"host": "127.0.0.1", "port": 1, "entrypoint": "app.py", "name": "n", "domain": "agent", "url": "http://h:1"}


def problems(**config: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        OpenEnvConfig(**{**BASE, **config})
    return str(caught.value)


@pytest.mark.parametrize("name", ["tool_timeout", "reset_timeout", "idle_timeout", "max_frame"])
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), True, "60", None])
def test_limits_are_positive_finite_numbers(name: str, value: Any) -> None:
    message = problems(**{name: value})
    assert name in message
    assert "must be a positive, finite number" in message


def test_more_than_one_worker_is_rejected_with_the_reason() -> None:
    assert "an episode lives in the process that seeded it" in problems(num_workers=2)
    assert OpenEnvConfig(**BASE, num_workers=1).num_workers == 1


@pytest.mark.parametrize(
    ("url", "socket"),
    [
        ("http://127.0.0.1:8000", "ws://127.0.0.1:8000/ws"),
        ("http://127.0.0.1:8000/", "ws://127.0.0.1:8000/ws"),
        ("https://o-e.hf.space", "wss://o-e.hf.space/ws"),
        ("HTTPS://Host/base/", "wss://host/base/ws"),
        ("ws://h:1/ws", "ws://h:1/ws"),
        ("http://[::1]:8000", "ws://[::1]:8000/ws"),
        ("http://h:1/base?token=t", "ws://h:1/base/ws?token=t"),
    ],
)
def test_an_address_is_converted_to_its_websocket_url(url: str, socket: str) -> None:
    assert str(websocket_url(url)) == socket


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://h", "http://", "h"])
def test_an_invalid_address_is_rejected_with_an_example(url: str) -> None:
    assert "it should look like http://127.0.0.1:8000" in problems(url=url)


def test_headers_are_expanded_from_the_environment() -> None:
    headers = {"Authorization": "Bearer $HF_TOKEN", "X-Both": "${A}-$B!", "X-Plain": "5$ a day"}
    environ = {"HF_TOKEN": " secret\n", "A": "1", "B": "2"}
    assert expand_headers(headers, environ) == {
        "Authorization": "Bearer secret",
        "X-Both": "1-2!",
        "X-Plain": "5$ a day",
    }


def test_a_missing_variable_is_reported_with_its_header() -> None:
    with pytest.raises(ConfigError, match="the header Authorization needs the environment variable HF_TOKEN"):
        expand_headers({"Authorization": "Bearer $HF_TOKEN"}, {})


def test_a_server_with_a_missing_variable_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOT_SET_ANYWHERE", raising=False)
    with pytest.raises(ConfigError, match="NOT_SET_ANYWHERE"):
        bridge("http://h:1", headers={"X": "$NOT_SET_ANYWHERE"})


def test_an_invalid_header_value_is_not_repeated() -> None:
    message = problems(headers={"Authorization": "Bearer hunter2\nX: y"})
    assert "the value of Authorization has a line break" in message
    assert "hunter2" not in message


def test_a_tool_cannot_have_two_names() -> None:
    assert "two names" in problems(tool_names={"a": "x.y", "b": "x.y"})


def test_exactly_one_of_url_and_bundle_is_required() -> None:
    without_url = {key: value for key, value in BASE.items() if key != "url"}
    assert OpenEnvConfig.model_validate(without_url | {"bundle": "hello"}).max_concurrent_envs == 8
    for settings in ({}, {"url": "http://h", "bundle": "hello"}, {"bundle": "hello", "max_concurrent_envs": 0}):
        with pytest.raises(ValidationError):
            OpenEnvConfig.model_validate(without_url | settings)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"tool_timout": 5}, "'tool_timout' is not a setting; did you mean 'tool_timeout'?"),
        ({"zzz": 5}, "'zzz' is not a setting"),
        ({"max_frame": 2**32}, "must be at most 1073741824 bytes"),
        ({"max_frame": 10**400}, "must be a positive, finite number"),
        ({"tool_timeout": 1e9}, "must be at most 2592000 seconds"),
        ({"connect_timeout": 0}, "must be a positive, finite number"),
        ({"url": "http://u:p@h:1", "headers": {"authorization": "x"}}, "has a user in url and an Authorization header"),
        ({"url": "http://" + "a" * 70 + ".invalid"}, "is not the address of an OpenEnv server"),
        ({"url": "http://."}, "is not the address of an OpenEnv server"),
        ({"url": "http://a..b"}, "is not the address of an OpenEnv server"),
        ({"url": "http://h:99999"}, "is not the address of an OpenEnv server"),
        ({"url": "http://h:0"}, "is not the address of an OpenEnv server"),
        ({"headers": {"Sec-WebSocket-Key": "x"}}, "is set by the WebSocket handshake"),
        ({"headers": {"connection": "close"}}, "is set by the WebSocket handshake"),
        ({"headers": {"X-A": "1", "x-a": "2"}}, "x-a is set twice"),
        ({"headers": {"X-A": "\x1b"}}, "the value of X-A has a line break or another control character"),
        ({"fixed_fields": {"a": float("nan")}, "interface": "action"}, "a has a value that is not JSON"),
        ({"reward": ""}, "reward"),
    ],
)
def test_an_invalid_setting_is_reported(config: dict[str, Any], message: str) -> None:
    assert message in problems(**config)


def test_keys_of_gym_are_accepted() -> None:
    gyms = {"description": "x", "verified": False, "verified_url": "u", "value": "v", "datasets": []}
    OpenEnvConfig.model_validate({**BASE, **gyms})


SETTINGS = {
    name: field
    for name, field in OpenEnvConfig.model_fields.items()
    if name not in BaseResourcesServerConfig.model_fields
}


def default_of(name: str) -> str:
    """Return the default as the documentation shows it."""
    value = SETTINGS[name].get_default(call_default_factory=True)
    if value is None or value == {}:
        return ""
    return f"{value:g}" if isinstance(value, float) else f"`{value}`" if isinstance(value, str) else str(value)


def test_the_documented_settings_match() -> None:
    assert all(field.description for field in SETTINGS.values())
    items: list[str] = []
    for name, field in SETTINGS.items():
        default = default_of(name)
        items.append(f"`{name}`{f' (default: {default})' if default else ''}: {field.description}")
    documented.check_list("settings", items)


def test_the_defaults_in_the_written_readme_match() -> None:
    template = Path(__file__).resolve().parents[2] / "templates/server/README.md.hbs"
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|", template.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == ["tool_timeout", "connect_timeout", "reset_timeout", "idle_timeout"]
    assert rows == [(name, default_of(name)) for name, _ in rows]


@pytest.mark.parametrize("secret", ["hunter2\nX: y", "hunter2\x00", "hunter2\x7f"])
def test_a_variable_that_cannot_be_part_of_a_header_is_reported_without_its_value(secret: str) -> None:
    with pytest.raises(ConfigError) as caught:
        expand_headers({"Authorization": "Bearer $TOK"}, {"TOK": secret})
    assert "the environment variable TOK cannot be used: the value of Authorization has a line break" in str(
        caught.value
    )
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://user:hunter2@.", "http://.?token=hunter2"])
def test_an_invalid_address_is_reported_without_its_secrets(url: str) -> None:
    assert "hunter2" not in problems(url=url)


def test_a_bundle_needs_the_package_that_serves_it() -> None:
    with pytest.raises(ConfigError, match=r"bundle needs the folder bundle_child/.* run gymgen again"):
        bridge(None, bundle="hello")
