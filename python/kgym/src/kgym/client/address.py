"""Where a server is, and how a request to it begins."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:8700"
ANSWER_S = 30.0  # What any answer may take, beyond what it was asked to wait.


@dataclass(frozen=True)
class Address:
    host: str
    port: int
    prefix: str  # Of every path; no slash at its end.
    tls: ssl.SSLContext | None
    headers: dict[str, str]

    @classmethod
    def of(cls, url: str | None, token: str | None) -> Address:
        """The environment's KGYM_URL and KGYM_TOKEN stand in for what is None."""
        url = url or os.environ.get("KGYM_URL") or DEFAULT_URL
        token = token if token is not None else os.environ.get("KGYM_TOKEN")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url {url!r}: http://HOST:PORT or https://HOST:PORT is expected")
        secure = parts.scheme == "https"
        headers = {"Accept": "application/json", "User-Agent": "kgym-python"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        port = parts.port or (443 if secure else 80)
        return cls(parts.hostname, port, parts.path.rstrip("/"), ssl.create_default_context() if secure else None, headers)

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"
