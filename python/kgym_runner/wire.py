"""Packets between the judge and its hosts: one JSON object each over a SOCK_SEQPACKET socket, descriptors beside it.

A host answers every packet once, in order. `Failure` is how an operation says that the other side's code is at fault; any other exception that
escapes an operation is the host's own fault and ends it.
"""
from __future__ import annotations

import json
import math
import os
import socket
import traceback
from typing import Any, Callable

MAX_PACKET = 192 * 1024
MAX_FDS = 64


class Failure(Exception):
    """What the loaded code did wrong: `kind` is the verdict's word (compile, load, runtime, shape, oom, problem, ...)."""

    def __init__(self, kind: str, message: str, trace: str = "", **facts: Any):
        super().__init__(message)
        self.kind, self.message, self.trace, self.facts = kind, message, trace, facts


def clip(text: str, limit: int = 6000) -> str:
    """The head and tail of a text that is too long to send."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if len(text) <= limit:
        return text
    return text[: limit // 2] + "\n... (%d characters left out) ...\n" % (len(text) - limit) + text[-limit // 2:]


def describe(error: BaseException) -> str:
    """One line for an exception: its type and what it says. An exception's own __str__ may fail: it is foreign code."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001
        text = "(its __str__ failed)"
    return clip("%s: %s" % (type(error).__name__, text) if text else type(error).__name__, 2000)


def foreign_trace(error: BaseException, own_folder: str) -> str:
    """The traceback without the frames of the judge and of the import machinery; of text that is no Python, the line at fault."""
    try:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((own_folder, "<frozen importlib"))]
        fault = traceback.format_exception_only(type(error), error)[:-1] if isinstance(error, SyntaxError) else []
        return clip("".join(traceback.format_list(frames) + fault))
    except BaseException:  # noqa: BLE001
        return ""


def _finite(value: Any) -> Any:
    """The value with None in place of floats that JSON does not have (inf, -inf, nan)."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    return [_finite(v) for v in value] if isinstance(value, (list, tuple)) else value


class TooLong(ValueError):
    """A message that does not fit a packet."""


class Channel:
    """One end of a private socket. Used by one thread."""

    def __init__(self, fd: int):
        self._socket = socket.socket(fileno=fd)

    def receive(self) -> tuple[dict[str, Any], list[int]] | None:
        """The next packet and its descriptors, or None when the judge is gone."""
        data, fds, flags, _ = socket.recv_fds(self._socket, MAX_PACKET, MAX_FDS)
        if not data:
            return None
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            raise RuntimeError("a packet of the judge was truncated")
        return json.loads(data), list(fds)

    def send(self, message: dict[str, Any], fds: list[int] = ()) -> None:
        try:
            data = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
        except ValueError:
            data = json.dumps(_finite(message), separators=(",", ":"), allow_nan=False).encode()
        if len(data) > MAX_PACKET:
            raise TooLong("the answer takes %d bytes where %d are possible: too many values, or too long ones" % (len(data), MAX_PACKET))
        if fds:
            socket.send_fds(self._socket, [data], list(fds))
        else:
            self._socket.send(data)


def serve(channel: Channel, operations: dict[str, Callable[[dict[str, Any], list[int]], Any]]) -> None:
    """Answer the judge until it goes. An operation returns a dict, or (dict, descriptors to send), or raises Failure."""
    while (packet := channel.receive()) is not None:
        message, fds = packet
        fds_out: list[int] = []
        try:
            reply = operations[message["op"]](message, fds)
            if isinstance(reply, tuple):
                reply, fds_out = reply
            reply = {"ok": True, **(reply or {})}
        except Failure as failure:
            reply = {"ok": False, "kind": failure.kind, "message": failure.message, "traceback": failure.trace, **failure.facts}
        finally:
            for fd in fds:
                try:
                    os.close(fd)
                except OSError:
                    pass  # The operation took it over.
        reply["nonce"] = message.get("nonce")
        try:
            channel.send(reply, fds_out)
        except TooLong as error:  # What is so long is what the loaded code returned.
            channel.send({"ok": False, "kind": "shape", "message": str(error), "traceback": "", "nonce": message.get("nonce")})
