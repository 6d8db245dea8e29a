"""Both clients, against a server that misbehaves as it is told to, and against `kgym serve`."""

from __future__ import annotations

import asyncio
import runpy
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import kgym_client  # noqa: F401
import pytest
from cli import PROBLEM, RELU, ROOT, WRONG_RELU, needs_binary
from scripted_server import Say, scripted
from serve_process import ServeProcess, serving

from kgym.client import AsyncClient, Client, Evaluation, Refused, Retry, TokenBucket, TooLate, Unreachable

QUICK = Retry(attempts=4, first_s=0.001, most_s=0.002)
DONE = {"id": "e", "state": "done", "outcome": "ok", "speedup": 2.0, "verdict": {"reason": "fine"}}


def both(url: str, act: Callable[[Any], Any], token: str | None = None) -> Iterator[Any]:
    """What `act` gives for either client; for the asynchronous one it returns an awaitable."""
    with Client(url, token, QUICK) as client:
        yield act(client)

    async def later() -> Any:
        async with AsyncClient(url, token, QUICK) as client:
            return await act(client)

    yield asyncio.run(later())


def test_connections_are_kept_and_tokens_sent() -> None:
    for is_async in (False, True):
        with scripted(*[Say(body=DONE)] * 3) as server:
            if is_async:

                async def ask(url: str = server.url) -> list[Evaluation]:
                    async with AsyncClient(url, "secret", QUICK) as client:
                        return [await client.get("e") for _ in range(3)]

                seen = asyncio.run(ask())
            else:
                with Client(server.url, "secret", QUICK) as client:
                    seen = [client.get("e") for _ in range(3)]
            assert [(one.outcome, one.speedup, one.reason) for one in seen] == [("ok", 2.0, "fine")] * 3
            assert server.connections == 1
            assert {heard.headers["Authorization"] for heard in server.heard} == {"Bearer secret"}


@pytest.mark.parametrize(
    "faults",
    [[Say(hang_up=True)], [Say(hang_up=True)] * 3, [Say(503, {}, {"Retry-After": "0"})], [Say(429, {}, {"Retry-After": "0"})] * 3,
     [Say(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")], [Say(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{")]],
)  # fmt: skip
def test_faults_on_the_way_are_borne(faults: list[Say]) -> None:
    script = [*faults, Say(body=DONE)]
    with scripted(*script, *script) as server:
        for done in both(server.url, lambda client: client.submit("p", "s", "cpp")):
            assert done.ok
        ids = [heard.body["id"] for heard in server.heard]
        assert len(ids) == 2 * len(script) and len(set(ids)) == 2  # One id for each client, whatever it took.


def test_a_kept_connection_that_was_closed_is_no_fault() -> None:
    with scripted(*[Say(body=DONE, last=True), Say(body=DONE)] * 2) as server:

        def twice(client: Any) -> Any:
            first = client.get("e")
            if isinstance(first, Evaluation):
                return client.get("e")

            async def rest() -> Any:
                await first
                return await client.get("e")

            return rest()

        for done in both(server.url, twice):
            assert done.ok


def test_chunked_answers_are_read() -> None:
    with scripted(*[Say(body=DONE, chunked=True)] * 2) as server:
        for done in both(server.url, lambda client: client.get("e")):
            assert done.verdict == {"reason": "fine"}


def test_nobody_there() -> None:
    with scripted() as server:
        url = server.url
    for act in (lambda client: client.get("e"), lambda client: client.health()):
        answers = both(url, act)
        with pytest.raises(Unreachable, match="127.0.0.1"):
            next(answers)
    with pytest.raises(Unreachable):
        asyncio.run(AsyncClient(url, None, QUICK).get("e"))


def test_what_is_no_http() -> None:
    with scripted(*[Say(raw=b"SSH-2.0-OpenSSH\r\n")] * 8) as server:
        with pytest.raises(Unreachable):
            Client(server.url, None, QUICK).get("e")
        with pytest.raises(Unreachable):
            asyncio.run(AsyncClient(server.url, None, QUICK).get("e"))


@pytest.mark.parametrize("url", ["localhost:8700", "ftp://x", "http://", ""])
def test_urls(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGYM_URL", "nonsense")
    with pytest.raises(ValueError, match="is expected"):
        Client(url)


def test_the_environment_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(Say(body={"status": "healthy"})) as server:
        monkeypatch.setenv("KGYM_URL", server.url + "/behind/")
        monkeypatch.setenv("KGYM_TOKEN", "t")
        assert Client(retry=QUICK).health()["status"] == "healthy"
        assert server.heard[0].path == "/behind/health" and server.heard[0].headers["Authorization"] == "Bearer t"


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("fake"), "--fake-lanes", "8", "--fake-hold", "1ms") as server:
        yield server


def submissions(count: int, **fields: Any) -> list[Any]:
    return [{"problem": {"source": PROBLEM}, "source": f"# {i}", "backend": "cpp", **fields} for i in range(count)]


@needs_binary
def test_many_at_once(fake: ServeProcess, capsys: pytest.CaptureFixture[str]) -> None:
    with Client(fake.url, fake.token) as client:
        done = client.evaluate_many(submissions(300, run="many"), progress=True)
        assert [one.outcome for one in done] == ["ok"] * 300 and len({one.id for one in done}) == 300
        assert sum(1 for _ in client.evaluations(state="done", run="many")) == 300
    assert "300/300" in capsys.readouterr().err


@needs_binary
def test_many_at_once_for_coroutines(fake: ServeProcess) -> None:
    async def run() -> tuple[list[Evaluation], int]:
        async with AsyncClient(fake.url, fake.token, bucket=TokenBucket(rate=1e6, burst=1000)) as client:
            done = await client.evaluate_many(submissions(300, run="async"))
            return done, len([one async for one in client.evaluations(run="async")])

    done, listed = asyncio.run(run())
    assert [one.outcome for one in done] == ["ok"] * 300 and listed == 300


@needs_binary
def test_what_one_of_many_gets_wrong_is_its_own(fake: ServeProcess) -> None:
    wrong = [*submissions(2), {"problem": "level9/absent", "source": "x", "backend": "cpp"}]
    with Client(fake.url, fake.token) as client:
        done = client.evaluate_many(wrong)
        assert [one.state for one in done] == ["done", "done", "refused"]
        assert "level9/absent" in str(done[2].reason)
        with pytest.raises(Refused) as refused:
            client.evaluate("level9/absent", "x", "cpp")
        assert refused.value.status == 422
        with pytest.raises(Refused) as unknown:
            client.get("nobody")
        assert (unknown.value.status, unknown.value.type) == (404, "not-found")
    with pytest.raises(Refused) as stranger:
        Client(fake.url, "guessed").get("nobody")
    assert stranger.value.status == 401


@needs_binary
def test_the_same_id_is_the_same_evaluation(fake: ServeProcess) -> None:
    with Client(fake.url, fake.token) as client:
        first = client.evaluate({"source": PROBLEM}, "# x", "cpp", id="twice")
        again = client.evaluate({"source": PROBLEM}, "# x", "cpp", id="twice")
        assert first.raw == again.raw
        with pytest.raises(Refused) as conflict:
            client.submit({"source": PROBLEM}, "# y", "cpp", id="twice")
        assert conflict.value.status == 409


@needs_binary
def test_cancel_and_a_bounded_wait(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1", "--fake-hold", "1h") as server, Client(server.url, server.token) as client:
        submitted = client.submit({"source": PROBLEM}, "# x", "cpp")
        with pytest.raises(TooLate):
            client.wait(submitted.id, 0.05)
        assert client.cancel(submitted.id).state == "cancelled"
        assert client.wait(submitted.id).state == "cancelled"


@needs_binary
def test_a_restart_is_not_noticed(tmp_path: Path) -> None:
    options = ("--fake-lanes", "2", "--fake-hold", "100ms")
    with serving(tmp_path, *options) as server, Client(server.url, server.token, Retry(attempts=30, most_s=1)) as client:
        submitted = client.submit_many(submissions(20))
        with ThreadPoolExecutor(20) as pool:
            waiting = [pool.submit(client.wait, one.id) for one in submitted]
            waiting[0].result(60)
            server.kill()
            server.start()
            assert [future.result(120).outcome for future in waiting] == ["ok"] * 20


@needs_binary
def test_threads_share_a_client(fake: ServeProcess) -> None:
    with Client(fake.url, fake.token) as client:
        seen: set[str] = set()
        lock = threading.Lock()

        def work(i: int) -> None:
            done = client.evaluate({"source": PROBLEM}, f"# thread {i}", "cpp")
            with lock:
                seen.add(done.id)

        with ThreadPoolExecutor(16) as pool:
            list(pool.map(work, range(64)))
        assert len(seen) == 64


@needs_binary
def test_a_real_verdict(tmp_path: Path) -> None:
    with serving(tmp_path) as server, Client(server.url, server.token) as client:
        right, wrong = client.evaluate_many([{"problem": {"source": PROBLEM}, "source": source, "backend": "cpp"} for source in (RELU, WRONG_RELU)])
        assert right.ok and right.speedup is not None and right.verdict is not None, right
        assert wrong.outcome == "fail:numerical" and wrong.reason


@needs_binary
def test_the_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as server:
        monkeypatch.setenv("KGYM_TOKEN", server.token or "")
        for options in ([], ["--async"]):
            monkeypatch.setattr("sys.argv", ["client.py", "--url", server.url, *options])
            runpy.run_path(str(ROOT / "examples" / "client.py"), run_name="__main__")
            lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
            assert sorted(lines) == [["plain", "ok"], ["vectorised", "ok"], ["wrong", "fail:numerical"]]
