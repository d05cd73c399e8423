"""The HTTP proxy that the environment names for the OpenEnv server."""

from __future__ import annotations

import ipaddress
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from openenv_bridge.config import ConfigError


def proxy_for(url: URL) -> URL | None:
    """The proxy of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY for ``url``, unless NO_PROXY excludes its host; never one for
    a loopback address.

    aiohttp's ``trust_env`` isn't used: it ignores HTTP_PROXY for websockets, and sends the passwords of ~/.netrc.
    Raises ConfigError, without the value, which may hold a password.
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
            f"{name.upper()}_PROXY names a {proxy.scheme} proxy, which isn't supported: use an HTTP proxy, or add "
            f"{host} to NO_PROXY"
        )
    return proxy


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
