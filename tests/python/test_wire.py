"""Packets: what goes through a socket, what is too long, floats that JSON does not have, and what an operation may raise."""
from __future__ import annotations

import importlib.util
import json
import math
import os
import socket
from typing import Any

import pytest

import stand_ins
from kgym_runner.wire import MAX_PACKET, Channel, Failure, TooLong, clip, describe, foreign_trace, serve


@pytest.fixture
def ends() -> Any:
    """A channel and the judge's end of it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.settimeout(5)
    channel = Channel(ours.detach())
    yield channel, theirs
    theirs.close()
    channel._socket.close()


def ask(ends: Any, operations: dict[str, Any], *messages: dict[str, Any], fds: list[int] = ()) -> list[dict[str, Any]]:
    """The answers of a host with these operations, which ends when the judge has said everything."""
    channel, judge = ends
    for message in messages:
        socket.send_fds(judge, [json.dumps(message).encode()], fds)
    judge.shutdown(socket.SHUT_WR)
    serve(channel, operations)
    return [json.loads(judge.recv(MAX_PACKET)) for _ in messages]


def test_answers_come_in_order_with_their_nonce(ends: Any) -> None:
    replies = ask(ends, {"add": lambda m, f: {"sum": m["a"] + 1}, "none": lambda m, f: None}, {"op": "add", "a": 1, "nonce": "x"}, {"op": "none", "nonce": "y"}, {"op": "none"})
    assert replies == [{"ok": True, "sum": 2, "nonce": "x"}, {"ok": True, "nonce": "y"}, {"ok": True, "nonce": None}]


def test_a_failure_is_an_answer_and_another_exception_ends_the_host(ends: Any) -> None:
    def fail(message: Any, fds: Any) -> None:
        raise Failure("shape", "too \ud800 wide".encode("utf-8", "backslashreplace").decode(), "trace", extra=3)
    assert ask(ends, {"fail": fail}, {"op": "fail", "nonce": 1}) == [{"ok": False, "kind": "shape", "message": "too \\ud800 wide", "traceback": "trace", "extra": 3, "nonce": 1}]
    with pytest.raises(ZeroDivisionError):
        channel_ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        channel_ends[1].send(b'{"op":"x"}')
        serve(Channel(channel_ends[0].detach()), {"x": lambda m, f: 1 / 0})
    channel_ends[1].close()


def test_floats_that_json_does_not_have_become_null(ends: Any) -> None:
    value = {"a": [math.nan, 1.0, (math.inf,)], "b": {"c": -math.inf}, "d": "nan"}
    assert ask(ends, {"x": lambda m, f: dict(value)}, {"op": "x"}) == [{"ok": True, "a": [None, 1.0, [None]], "b": {"c": None}, "d": "nan", "nonce": None}]


def test_an_answer_that_is_too_long_is_said_so_and_the_host_goes_on(ends: Any) -> None:
    replies = ask(ends, {"long": lambda m, f: {"x": "y" * MAX_PACKET}, "short": lambda m, f: {}}, {"op": "long", "nonce": 5}, {"op": "short"})
    assert replies[0]["kind"] == "shape" and replies[0]["nonce"] == 5 and "%d are possible" % MAX_PACKET in replies[0]["message"] and replies[1]["ok"]
    with pytest.raises(TooLong):
        ends[0].send({"x": "y" * MAX_PACKET})


def test_descriptors_go_both_ways_and_are_closed(ends: Any) -> None:
    seen: list[int] = []
    def read(message: Any, fds: list[int]) -> Any:
        seen.extend(fds)
        return {"said": os.read(fds[0], 10).decode()}, [fds[0]]
    fd = stand_ins.file_of(b"hello")
    channel, judge = ends
    socket.send_fds(judge, [b'{"op":"read"}'], [fd])
    judge.shutdown(socket.SHUT_WR)
    with pytest.raises(OSError):  # The host closes what it was given, unless it took it over: sending a closed one fails.
        serve(channel, {"read": read})
    with pytest.raises(OSError):
        os.fstat(seen[0])
    os.close(fd)


def test_the_judges_end() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    assert Channel(ours.detach()).receive() is None


class Rude(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


def test_describe_and_clip() -> None:
    assert describe(ValueError("x")) == "ValueError: x" and describe(ValueError()) == "ValueError" and "failed" in describe(Rude())
    assert len(describe(ValueError("x" * 10**6))) < 2100
    assert clip("a" * 10) == "a" * 10 and clip("\ud800") == "\\ud800"
    text = clip("a" * 5000 + "b" * 5000, 1000)
    assert text.startswith("a" * 500) and text.endswith("b" * 500) and "9000 characters left out" in text


def test_a_trace_has_the_foreign_frames_only() -> None:
    try:
        exec(compile("def f():\n    1 / 0\nf()", "foreign.py", "exec"), {})
    except ZeroDivisionError as error:
        trace = foreign_trace(error, os.path.dirname(__file__))
    assert trace.count("foreign.py") == 2 and "test_wire" not in trace


def test_text_that_is_no_python_is_shown_where_it_is_at_fault(tmp_path: Any) -> None:
    path = tmp_path / "broken_text.py"
    path.write_text("x = 1\ny = (x\n")
    spec = importlib.util.spec_from_file_location("broken_text", path)
    assert spec is not None and spec.loader is not None
    with pytest.raises(SyntaxError) as caught:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    trace = foreign_trace(caught.value, os.path.dirname(__file__))
    assert "frozen importlib" not in trace and "broken_text.py" in trace and "y = (x" in trace
