"""`kgym submit`, `status`, `wait`, `cancel` and `top` against `kgym serve` on lanes that judge nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli import BINARY, PROBLEM, RELU, ROOT, Ended, kgym, needs_binary, write
from serve_process import ANSWER_S, ServeProcess, serving
from test_service_restart import await_running

pytestmark = needs_binary


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("fake"), "--fake-lanes", "8", "--fake-hold", "10ms") as server:
        yield server


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[ServeProcess]:
    """One lane, whose evaluations do not end while a test looks."""
    folder = tmp_path / "slow"
    folder.mkdir()
    with serving(folder, "--fake-lanes", "1", "--fake-hold", "1h", "--drain", "0s", "--max-queued", "3") as server:
        yield server


@pytest.fixture
def relu(tmp_path: Path) -> Path:
    return write(tmp_path, "relu.py", RELU)


def environment(server: ServeProcess) -> dict[str, str]:
    return {"KGYM_URL": server.url, "KGYM_TOKEN": server.token or ""}


def ask(server: ServeProcess, *arguments: str | Path) -> Ended:
    return kgym(*arguments, env=environment(server))


def test_submit_says_how_to_wait(fake: ServeProcess, relu: Path) -> None:
    submitted = ask(fake, "submit", "level1/relu", relu)
    task = submitted.out.split()[0]
    assert submitted.code == 0 and f"accepted; `kgym wait {task} --url {fake.url}`" in submitted.out
    waited = ask(fake, "wait", task)
    assert waited.code == 0 and waited.out.startswith("ok") and task in fake.ask("GET", "/v1/evaluations").body.decode()


def test_submit_and_wait_prints_the_verdict(fake: ServeProcess, relu: Path) -> None:
    submitted = ask(fake, "submit", "level1/relu", relu, "--wait", "--id", "one", "--run", "r", "--priority", "high", "--label", "device=fake")
    assert submitted.code == 0 and submitted.out.startswith("one  accepted\nok")
    one = fake.ask("GET", "/v1/evaluations/one").json()
    assert (one["run"], one["priority"], one["labels"], one["name"]) == ("r", "high", {"backend": "cpp", "device": "fake"}, str(relu))
    as_json = ask(fake, "wait", "one", "--json").json()
    assert as_json["verdict"]["schema"] == "kgym.verdict/1" and as_json == one


def test_what_is_submitted(fake: ServeProcess, relu: Path, tmp_path: Path) -> None:
    problem = write(tmp_path, "own.py", PROBLEM)
    options = ("--backend", "triton", "--entry", "Other", "--size", "rows=32", "--set", "timing.budget=2s", "--workload", "small")
    assert ask(fake, "submit", problem, relu, *options, "--id", "own").code == 0
    one = fake.ask("GET", "/v1/evaluations/own?wait=60").json()
    assert (one["problem"], one["backend"], one["entry"]) == (str(problem)[:100], "triton", "Other")
    assert one["config"]["timing.budget"] == "2s"
    assert fake.ask("GET", "/v1/evaluations/own/artefacts/source").body.decode() == RELU


def test_the_same_again_is_the_same(fake: ServeProcess, relu: Path, tmp_path: Path) -> None:
    assert ask(fake, "submit", "level1/relu", relu, "--id", "same", "--json").json()["status"] == "accepted"
    assert ask(fake, "submit", "level1/relu", relu, "--id", "same", "--json").json()["status"] == "known"
    other = write(tmp_path, "other.py", RELU + "\n")
    refused = ask(fake, "submit", "level1/relu", other, "--id", "same")
    assert refused.code == 2 and "same" in refused.err


def test_a_folder(fake: ServeProcess, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for name in ("level1__relu__a.py", "level1__relu__b.py", "level1__rellu__c.py", "nothing.py"):
        write(folder, name, RELU)
    submitted = ask(fake, "submit", folder, "--id", "f", "--wait")
    assert submitted.code == 2
    assert "2 of 4 accepted as run f" in submitted.out and "2 evaluations: 2 ok" in submitted.out
    assert "did you mean 'level1/relu'?" in submitted.err and "nothing.py" in submitted.err
    assert ask(fake, "wait", "--run", "f").out.endswith("2 evaluations: 2 ok\n")
    again = ask(fake, "submit", folder, "--id", "f", "--json").lines()
    assert {row["id"] for row in again if row.get("status") == "known"} == {row["id"] for row in ask(fake, "status", "--run", "f", "--json").lines()}
    assert sorted(row["row"] for row in again if "error" in row) == [1, 4]


def test_rows_in_several_batches(fake: ServeProcess, tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"row{i}", "problem": "level1/relu", "submission": RELU + f"# {i}\n"}) for i in range(450)]
    rows = write(tmp_path, "rows.jsonl", "\n".join([*lines[:225], '{"problem": "level1/relu"}', *lines[225:]]))
    submitted = ask(fake, "submit", rows, "--run", "batches", "--json")
    statuses = [row.get("status", "error") for row in submitted.lines()]
    assert submitted.code == 2 and statuses.count("accepted") == 450 and statuses.count("error") == 1
    assert f"{rows}:226" in submitted.err
    waited = ask(fake, "wait", "--run", "batches")
    assert waited.code == 0 and waited.out.endswith("450 evaluations: 450 ok\n")


def test_status(slow: ServeProcess, relu: Path) -> None:
    assert ask(slow, "status").out == "no evaluation; `kgym submit` makes one\n"
    for i in range(2):
        ask(slow, "submit", "level1/relu", relu, "--id", f"s{i}", "--entry", f"E{i}", "--run", f"r{i}")
    await_running(slow, "s0")
    table = ask(slow, "status").out.splitlines()
    assert table[1].startswith("s1") and "queued" in table[1] and table[2].startswith("s0") and "running" in table[2]
    assert [row["id"] for row in ask(slow, "status", "--run", "r0", "--json").lines()] == ["s0"]
    assert [row["id"] for row in ask(slow, "status", "--state", "queued", "--json").lines()] == ["s1"]
    assert [row["id"] for row in ask(slow, "status", "--limit", "1", "--json").lines()] == ["s1"]
    some = ask(slow, "status", "s0", "none")
    assert some.code == 2 and "not known" in some.out
    assert "'state'" in ask(slow, "status", "--state", "odd").err


def test_cancel(slow: ServeProcess, relu: Path) -> None:
    for i in range(3):
        ask(slow, "submit", "level1/relu", relu, "--id", f"c{i}", "--entry", f"E{i}", "--run", "c" if i else "other")
    await_running(slow, "c0")
    cancelled = ask(slow, "cancel", "--run", "c")
    assert cancelled.code == 0 and cancelled.out.endswith("2 evaluations: 2 cancelled\n")
    assert ask(slow, "cancel", "c0", "--json").json()["state"] == "cancelled"
    assert ask(slow, "wait", "c0").code == 1
    assert ask(slow, "cancel", "--run", "c").out == "nothing of run 'c' waits or runs\n"
    assert ask(slow, "cancel", "none").code == 2


def test_top_prints_once_without_a_terminal(slow: ServeProcess, relu: Path) -> None:
    ask(slow, "submit", "level1/relu", relu, "--id", "t0")
    await_running(slow, "t0")
    text = ask(slow, "top").out
    assert f"on {slow.url}" in text and "0 queued, 1 running" in text and "fake:0" in text and "t0" in text
    assert ask(slow, "top", "--json").json()["queue"] == {"queued": 0, "running": 1}


def test_top_draws_what_changes(slow: ServeProcess, relu: Path) -> None:
    """On a terminal of its own, until it is interrupted."""
    script = (
        "import os, pty, signal, sys\n"
        "pid, fd = pty.fork()\n"
        "if pid == 0: os.execv(sys.argv[1], [sys.argv[1], 'top'])\n"
        "seen, stopped, ended = b'', False, False\n"
        "try:\n"
        "    while part := os.read(fd, 65536):\n"
        "        seen += part\n"
        "        if b'0 running' in seen and not stopped: stopped = True; print('drawn', flush=True)\n"
        "        if b'1 running' in seen and not ended: ended = True; os.kill(pid, signal.SIGINT)\n"
        "except OSError: pass\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.count(b'\\x1b[?1049h'), seen.count(b'\\x1b[?1049l'))\n"
    )
    top = subprocess.Popen([sys.executable, "-c", script, str(Path(BINARY).resolve())], env={**os.environ, **environment(slow), "TERM": "xterm"}, stdout=subprocess.PIPE, text=True)
    assert top.stdout is not None and top.stdout.readline() == "drawn\n"
    ask(slow, "submit", "level1/relu", relu)
    out, _ = top.communicate(timeout=ANSWER_S)
    assert out == "130 1 1\n"


def test_wait_survives_a_server_that_was_killed(tmp_path: Path, relu: Path) -> None:
    """It has told one end, so it is in touch with the server, which then is killed and started again."""
    folder = tmp_path / "killed"
    folder.mkdir()
    with serving(folder, "--fake-lanes", "1", "--fake-hold", "1s") as server:
        for i in range(2):
            ask(server, "submit", "level1/relu", relu, "--id", f"k{i}", "--entry", f"E{i}")
        command = [str(Path(BINARY).resolve()), "wait", "k0", "k1"]
        wait = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment(server)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert wait.stderr is not None and "[1/2] k0" in wait.stderr.readline()
        server.kill()
        assert "asking again in" in wait.stderr.readline()
        server.start()
        out, _ = wait.communicate(timeout=ANSWER_S)
        assert wait.returncode == 0 and out.endswith("2 evaluations: 2 ok\n")
        again = ask(server, "submit", "level1/relu", relu, "--id", "k1", "--entry", "E1", "--json")
        assert again.json() == {"id": "k1", "status": "known", "state": "done"}


def test_a_full_queue_is_waited_for(slow: ServeProcess, relu: Path) -> None:
    for i in range(3):
        ask(slow, "submit", "level1/relu", relu, "--id", f"q{i}", "--entry", f"E{i}", "--patience", "0s")
    refused = ask(slow, "submit", "level1/relu", relu, "--id", "more", "--entry", "E", "--patience", "0s")
    if refused.code == 0:  # One of them ran already, and made room.
        refused = ask(slow, "submit", "level1/relu", relu, "--id", "most", "--entry", "F", "--patience", "0s")
    assert refused.code == 3 and "--patience" in refused.err
    command = [str(Path(BINARY).resolve()), "submit", "level1/relu", str(relu), "--id", "late", "--entry", "G"]
    late = subprocess.Popen(command, env={**os.environ, **environment(slow)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert late.stderr is not None and "asking again in" in late.stderr.readline()
    late.send_signal(signal.SIGINT)
    out, err = late.communicate(timeout=ANSWER_S)
    assert late.returncode == 130 and out == "" and "interrupted" in err


def test_the_token_that_serve_keeps(tmp_path: Path) -> None:
    folder = tmp_path / "kgym"
    folder.mkdir()
    with serving(folder, "--fake-lanes", "1") as server:
        own = kgym("status", "--url", server.url, env={"XDG_STATE_HOME": str(tmp_path), "KGYM_TOKEN": ""})
        assert own.code == 0
        wrong = kgym("status", "--url", server.url, "--token", "wrong")
        assert wrong.code == 2 and "KGYM_TOKEN" in wrong.err and wrong.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["status", "--url", "http://127.0.0.1:1"], 3, "start a server with `kgym serve`"),
        (["status", "--url", "ftp://x"], 2, "http://HOST[:PORT] is expected"),
        (["status", "--patience", "long"], 2, "--patience"),
        (["wait"], 2, "ids, or --run RUN"),
        (["cancel", "a", "--run", "b"], 2, "ids, or --run RUN"),
        (["submit", "level1/relu"], 2, "two arguments are expected"),
        (["submit", "level1/relu", "none.py"], 2, "none.py"),
        (["submit", "none.py", "none.py"], 2, "none.py"),
        (["submit", "level1/relu", "README.md", "--set", "x"], 2, "KEY=VALUE is expected"),
        (["submit", "level1/relu", "README.md", "--label", "x"], 2, "NAME=VALUE is expected"),
        (["submit", "level1/relu", "README.md", "--suite", "x"], 2, "builtin or kernelbench is expected"),
        (["top", "--url", "http://127.0.0.1:1"], 3, "Connection refused"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], code: int, sentence: str) -> None:
    ended = kgym(*arguments)
    assert (ended.code, ended.err.count("\n")) == (code, 1) and sentence in ended.err
    assert sentence in kgym(*arguments, "--json").json()["error"]


def test_what_the_server_refuses(fake: ServeProcess, relu: Path) -> None:
    for arguments, sentence in [
        (["submit", "level1/rellu", relu], "did you mean 'level1/relu'?"),
        (["submit", "level1/relu", relu, "--priority", "urgent"], "one of low, normal, high is expected"),
        (["submit", "level1/relu", relu, "--set", "timing.budgt=2s"], "timing.budget"),
        (["wait", "--run", "none"], "no evaluation of it is known"),
    ]:
        refused = ask(fake, *arguments)
        assert (refused.code, refused.err.count("\n")) == (2, 1) and sentence in refused.err, refused
