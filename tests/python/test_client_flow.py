"""What the client decides, without a server: when it tries again, what it gives up on, how it cuts batches."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections import Counter
from typing import Any

import kgym_client  # noqa: F401
import pytest

from kgym.client import Evaluation, Refused, Retry, TokenBucket, TooLate, Unreachable, flow
from kgym.client.flow import Call, Pause, Reply
from kgym.client.progress import Progress, line


def play(steps: Any, *script: Any) -> tuple[Any, list[Call], list[float]]:
    """Runs a flow against a script of replies (or exceptions); what it returned, what it asked for, how long it paused."""
    calls: list[Call] = []
    pauses: list[float] = []
    answers = list(script)
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                pauses.append(step.seconds)
                step = steps.send(None)
                continue
            calls.append(step)
            answer = answers.pop(0)
            step = steps.throw(answer) if isinstance(answer, Exception) else steps.send(answer)
    except StopIteration as end:
        assert not answers
        return end.value, calls, pauses


def reply(status: int, body: Any = None, **headers: str) -> Reply:
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, json.dumps(body).encode())


def evaluation(state: str = "done", **fields: Any) -> Reply:
    return reply(200, {"id": "e", "state": state, "outcome": None, "speedup": None, **fields})


def test_what_cannot_be_reached_is_tried_again_with_the_same_id() -> None:
    done, calls, pauses = play(flow.submit({"problem": "p", "source": "s", "backend": "cpp"}, Retry()), Unreachable("x"), Unreachable("x"), evaluation("queued"))
    assert done.state == "queued" and len(calls) == 3 and len(pauses) == 2
    ids = {json.loads(call.body or b"")["id"] for call in calls}
    assert len(ids) == 1 and all(ids)


def test_it_gives_up_at_last() -> None:
    with pytest.raises(Unreachable):
        play(flow.get("e", Retry(attempts=3)), Unreachable("a"), Unreachable("b"), Unreachable("c"))


def test_pauses_grow_and_are_bounded() -> None:
    retry = Retry(first_s=1, most_s=4)
    for attempt, most in enumerate([1, 2, 4, 4, 4]):
        assert most / 2 <= retry.pause(attempt) <= most


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again_when_it_says(status: int) -> None:
    done, calls, pauses = play(flow.get("e", Retry()), reply(status, {}, retry_after="7"), evaluation())
    assert done.ended and len(calls) == 2 and pauses == [7.0]


def test_a_server_that_stays_full_is_told_so_in_the_end() -> None:
    with pytest.raises(Refused) as refused:
        play(flow.get("e", Retry(full_s=10)), *[reply(429, {"detail": "full"}, retry_after="6")] * 3)
    assert refused.value.status == 429


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 500])
def test_a_no_is_a_no(status: int) -> None:
    problem = {"type": "urn:kgym:error:invalid", "detail": "field 'source' is missing", "next_step": "add it"}
    with pytest.raises(Refused) as refused:
        play(flow.get("e", Retry()), reply(status, problem))
    assert (refused.value.status, refused.value.type) == (status, "invalid")
    assert str(refused.value) == "field 'source' is missing; add it"


def test_a_no_that_is_no_json() -> None:
    with pytest.raises(Refused, match="HTTP 404"):
        play(flow.get("e", Retry()), Reply(404, {}, b"<html>"))
    with pytest.raises(Unreachable, match="not JSON"):
        play(flow.get("e", Retry()), Reply(200, {}, b"<html>"))


def test_waiting_goes_on_until_the_end() -> None:
    done, calls, _ = play(flow.wait("a/b", None, Retry()), evaluation("queued"), evaluation("running"), evaluation(outcome="ok"))
    assert done.ok and len(calls) == 3
    assert calls[0].path.startswith("/v1/evaluations/a%2Fb?wait=") and calls[0].wait_s == flow.LONG_POLL_S


def test_waiting_is_bounded_where_the_caller_says() -> None:
    steps = flow.wait("e", 60, Retry())
    with pytest.raises(TooLate) as late:
        play(steps, evaluation("running"), evaluation("running"))
    assert late.value.id == "e"


def test_batches_are_cut_by_number_and_size() -> None:
    small = [{"problem": "p", "source": str(i), "backend": "cpp"} for i in range(1200)]
    assert [len(batch) for batch in flow.batches(small)] == [500, 500, 200]
    large = [{"problem": "p", "source": "x" * (6 << 20), "backend": "cpp"} for _ in range(5)]
    assert [len(batch) for batch in flow.batches(large)] == [2, 2, 1]
    assert list(flow.batches([])) == []


def test_a_batch_keeps_its_order_and_offers_again_what_found_no_room() -> None:
    batch = [{"id": name, "problem": "p", "source": "s", "backend": "cpp"} for name in "abcd"]
    first = reply(200, {"evaluations": [
        {"id": "a", "status": "full", "error": {"detail": "full"}}, {"id": "b", "status": "accepted", "state": "queued"},
        {"id": "c", "status": "invalid", "error": {"detail": "no"}}, {"id": "d", "status": "full", "error": {"detail": "full"}}]})  # fmt: skip
    second = reply(200, {"evaluations": [{"id": "a", "status": "known", "state": "done"}, {"id": "d", "status": "accepted", "state": "queued"}]})
    taken, calls, pauses = play(flow.submit_batch(batch, Retry()), first, second)
    assert [(one.id, one.state) for one in taken] == [("a", "done"), ("b", "queued"), ("c", "refused"), ("d", "queued")]
    assert taken[2].reason == "no" and len(pauses) == 1
    assert [one["id"] for one in json.loads(calls[1].body or b"")["evaluations"]] == ["a", "d"]


def test_pages_follow_their_cursor() -> None:
    (first, cursor), calls, _ = play(flow.page(Retry(), state="done", run=None, cursor=None), reply(200, {"evaluations": [{"id": "a", "state": "done"}], "next": "n"}))
    assert [one.id for one in first] == ["a"] and cursor == "n"
    assert calls[0].path == "/v1/evaluations?state=done"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_its_burst_then_its_rate() -> None:
    clock = Clock()
    bucket = TokenBucket(rate=2, burst=3, clock=clock)
    assert [bucket.reserve() for _ in range(5)] == [0, 0, 0, 0.5, 1.0]
    clock.now = 1.0
    assert bucket.reserve() == 0.5
    clock.now = 100.0
    assert [bucket.reserve() for _ in range(4)] == [0, 0, 0, 0.5]  # It holds no more than the burst.
    clock.now = 50.0
    assert bucket.reserve() == 1.0  # A clock that goes back gives nothing and takes nothing.


def test_a_bucket_takes_more_than_its_burst_at_once() -> None:
    assert TokenBucket(rate=10, burst=5, clock=Clock()).reserve(25) == 2.0


def test_a_bucket_is_shared_by_threads() -> None:
    bucket = TokenBucket(rate=1, burst=1, clock=Clock())
    waits: list[float] = []
    threads = [threading.Thread(target=lambda: waits.extend(bucket.reserve() for _ in range(100))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == [float(i) for i in range(800)]


def test_a_bucket_of_a_coroutine() -> None:
    asyncio.run(TokenBucket(rate=1000, burst=1).take_async(2))


@pytest.mark.parametrize("rate, burst", [(0, 1), (-1, 1), (1, 0.5)])
def test_a_bucket_says_what_it_expects(rate: float, burst: float) -> None:
    with pytest.raises(ValueError, match="rate above 0"):
        TokenBucket(rate, burst)


def test_the_bar() -> None:
    assert line(0, 4, Counter(), 0.0) == "[" + " " * 24 + "] 0/4"
    text = line(50, 100, Counter({"ok": 40, "fail": 10}), 2.0)
    assert text == "[" + "#" * 12 + " " * 12 + "] 50/100  25/s  ok 40  fail 10  2s left"
    assert line(0, 0, Counter(), 1.0).startswith("[" + "#" * 24)
    assert line(1, 1, Counter(), 8e-6).endswith(" 125,000/s") and line(1, 1, Counter(), 1e-3).endswith(" 1,000/s")


def test_the_bar_is_for_terminals() -> None:
    stream = io.StringIO()
    with Progress(1, stream) as bar:
        bar.ended(Evaluation(id="e", state="done", outcome="fail:numerical"))
    assert stream.getvalue() == ""
    with Progress(1, stream, shown=True) as bar:
        bar.ended(Evaluation(id="e", state="done", outcome="fail:numerical"))
    *_, last = stream.getvalue().split("\r")  # Over what was longer, blanks.
    assert last.rstrip(" \n").endswith("fail 1") and last.endswith("\n")
