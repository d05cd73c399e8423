"""The endpoint of the OpenEnv server: the URL of its WebSocket, the headers to send, and the proxy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.request import getproxies, proxy_bypass

from yarl import URL

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

# Headers that the WebSocket handshake sets itself. Another value would break every connection.
HANDSHAKE_HEADERS = frozenset({"connection", "content-length", "transfer-encoding", "upgrade"})


class ConfigError(Exception):
    """The config is well-formed but cannot be used on this machine."""


def websocket_url(url: str) -> URL:
    """Return the WebSocket URL of the OpenEnv server at ``url``, which may have a base path. Raises ValueError."""
    invalid = (
        f"{_without_secrets(url)!r} is not the address of an OpenEnv server: it should look like http://127.0.0.1:8000"
    )
    try:
        parsed = URL(url.strip())
    except ValueError:
        raise ValueError(invalid) from None
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parsed.scheme)
    if scheme is None or not parsed.raw_host or not _is_host(parsed.raw_host) or parsed.port == 0:
        raise ValueError(invalid)
    base = parsed.path.rstrip("/")
    path = base if base.endswith("/ws") else base + "/ws"
    return parsed.with_scheme(scheme).with_path(path, keep_query=True).with_fragment(None)


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise ValueError if a header cannot be sent. The message never contains a value, which may be a secret."""
    seen: set[str] = set()
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a valid HTTP header name")
        if name.lower() in HANDSHAKE_HEADERS or name.lower().startswith("sec-websocket-"):
            raise ValueError(f"{name} is set by the WebSocket handshake and cannot be changed")
        if name.lower() in seen:
            raise ValueError(f"{name} is set twice: header names are case-insensitive")
        seen.add(name.lower())
        _check_header_value(name, value)


def expand_headers(headers: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Replace ``$NAME`` and ``${NAME}`` in the values of ``headers`` with variables of ``environ``.

    Raises ConfigError if a variable is not set or cannot be part of a header. The message never contains a value.
    """

    def lookup(header: str, match: re.Match[str]) -> str:
        variable = match[1] or match[2]
        if not environ.get(variable):
            raise ConfigError(f"the header {header} needs the environment variable {variable}, which is not set")
        value = environ[variable].strip()
        try:
            _check_header_value(header, value)
        except ValueError as e:
            raise ConfigError(f"the environment variable {variable} cannot be used: {e}") from None
        return value

    return {
        name: _VARIABLE.sub(lambda match, header=name: lookup(header, match), text) for name, text in headers.items()
    }


def proxy_for(url: URL) -> URL | None:
    """Return the proxy for ``url`` from HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or None for a direct connection.

    Hosts in NO_PROXY and loopback addresses have no proxy. aiohttp's ``trust_env`` is not used: it ignores HTTP_PROXY
    for WebSockets, and sends the passwords in ~/.netrc.

    Raises ConfigError. The message never contains the value, which may have a password.
    """
    host = url.host or ""
    if _is_loopback(host) or proxy_bypass(f"{host}:{url.port}") or proxy_bypass(host):
        return None
    scheme = "https" if url.scheme in ("https", "wss") else "http"
    proxies = getproxies()
    name = scheme if proxies.get(scheme) else "all"
    text = proxies.get(name)
    if not text:
        return None
    try:
        proxy = URL(text if "://" in text else f"http://{text}")
    except ValueError:
        raise ConfigError(f"{name.upper()}_PROXY is not the URL of a proxy") from None
    if proxy.scheme not in ("http", "https") or not proxy.host:
        raise ConfigError(
            f"{name.upper()}_PROXY names a {proxy.scheme} proxy, which is not supported: use an HTTP proxy, or add "
            f"{host} to NO_PROXY"
        )
    return proxy


def _check_header_value(name: str, value: str) -> None:
    if _CONTROL.search(value):
        raise ValueError(f"the value of {name} has a line break or another control character")


def _without_secrets(url: str) -> str:
    """Remove the user, the password and the query, which may contain a token."""
    return re.sub(r"//[^/@]*@", "//", url).partition("?")[0]


def _is_host(host: str) -> bool:
    """Whether ``host`` is an IP address, or has labels of 1 to 63 characters (RFC 1035, section 2.3.4)."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        labels = host.removesuffix(".").split(".")
        return len(host) <= 253 and all(0 < len(label) <= 63 for label in labels)
    return True


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
