"""The walls of the sandbox against hosts that do not want to be in one. Every hostile act is bounded: it ends by itself or with its host."""
from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_hosts import DUMP, PROBE, ZYGOTE, Zygote, contained, folder_for_anybody, needs_probe, start, zygote  # noqa: F401

pytestmark = needs_probe


def test_fork_bomb_is_bounded(contained: Zygote) -> None:
    """Two hosts with the same limit at once: each fills its own."""
    bomb = """
import os, signal
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            while True:
                signal.pause()
        made += 1
except OSError as error:
    say([made, error.errno])
hear()"""
    hosts = [contained.fork(bomb, processes=20) for _ in range(2)]
    for host in hosts:
        made, number = host.hear()
        assert 10 <= made < 20 and number == 11, made
    for host in hosts:
        host.control.send(b"K")
        assert host.end().startswith("X signal 9")


def test_exponential_bomb_dies_with_its_host(contained: Zygote) -> None:
    host = contained.fork("""
import os
say('lit')
while True:
    try:
        os.fork()
    except OSError:
        pass""", processes=20)
    host.hear()
    assert host.command("F") == "F"
    assert host.command("T") == "T"
    assert host.command("K").startswith("X signal 9")
    assert host.is_gone()


def test_memory_bomb_meets_the_limit(zygote: Zygote) -> None:
    assert zygote.run("""
try:
    kept = [bytearray(1 << 26) for _ in range(64)]
    say('allocated')
except MemoryError:
    say('MemoryError')""", memory_mb=512) == "MemoryError"
    assert zygote.run("""
try:
    kept = bytearray(1 << 40)
    say('allocated')
except MemoryError:
    say('MemoryError')""", memory_kind="address_space") == "MemoryError"


def test_nothing_can_be_written_outside(zygote: Zygote) -> None:
    folder = str(ZYGOTE.parent)
    attempts = [f"{folder}/planted", "/usr/planted", "/etc/planted", "/planted", f"{PROBE}/planted", "/home/planted", "/dev/planted"]
    outcome = zygote.run(f"""
import os
made = []
for path in {attempts!r}:
    try:
        open(path, 'w').close()
        made.append(path)
    except OSError:
        pass
say(made)""")
    assert outcome == []


def test_private_folders_are_private_and_bounded(contained: Zygote) -> None:
    code = """
import errno, os
found = {path: os.listdir(path) for path in ('/tmp', '/dev/shm', '/home/kernel')}
number = 0
try:
    with open('/tmp/full', 'wb') as f:
        for _ in range(32):
            f.write(bytes(1 << 20))
            f.flush()
except OSError as error:
    number = error.errno
say([found, number])
hear()"""
    first = contained.fork(code, read_only=[p for p in contained.spec["read_only"] if not p.startswith("/tmp/")])
    second = contained.fork(code, read_only=[p for p in contained.spec["read_only"] if not p.startswith("/tmp/")])
    for host in (first, second):
        found, number = host.hear()
        assert found == {"/tmp": [], "/dev/shm": [], "/home/kernel": []}
        assert number == 28, "ENOSPC is expected"


@pytest.fixture
def cgroups() -> Iterator[list[str]]:
    """A memory and a pids folder with limits, where version 1 of cgroups lets us make them."""
    limits = {"memory": ("memory.limit_in_bytes", 96 << 20), "pids": ("pids.max", 30)}
    folders = []
    try:
        for hierarchy, (name, value) in limits.items():
            folder = Path("/sys/fs/cgroup", hierarchy, f"kgym-test-{os.getpid()}")
            folder.mkdir()
            folders.append(folder)
            folder.joinpath(name).write_text(str(value))
    except OSError as error:
        pytest.skip(f"no cgroup to test with: {error}")
    try:
        yield [str(folder) for folder in folders]
    finally:
        for folder in folders:
            folder.rmdir()


def test_cgroups_bound_the_sum_of_all_processes(cgroups: list[str]) -> None:
    folder = folder_for_anybody()
    zygote = start("root", folder, [])
    hoard = """
import os, mmap
say([s for s in reports['birth']['steps'] if s['name'] == 'cgroup'][0]['level'])
shared = mmap.mmap(-1, 64 << 20)
for offset in range(0, 64 << 20, 4096):
    shared[offset] = 1
if os.fork() == 0:
    private = bytearray(64 << 20)
    os._exit(0)
say(os.wait()[1])"""
    host = zygote.fork(hoard, cgroups=cgroups)
    assert host.hear() == "full"
    try:
        # The kernel kills the greatest, which may be the child or the host.
        assert host.hear() in (signal.SIGKILL, None)
        bomb = zygote.fork("""
import os, signal
made = 0
try:
    while made < 100:
        if os.fork() == 0:
            while True:
                signal.pause()
        made += 1
except OSError:
    pass
say(made)""", cgroups=cgroups, processes=0)
        assert bomb.hear() < 30
    finally:
        zygote.close()
        shutil.rmtree(folder, ignore_errors=True)


def test_file_size_is_bounded(zygote: Zygote) -> None:
    assert zygote.run("""
import os
fd = os.memfd_create('big')
try:
    os.ftruncate(fd, 1 << 30)
    say('made')
except OSError as error:
    say(error.errno)""", file_mb=4) == 27


def test_the_machine_is_out_of_sight(contained: Zygote) -> None:
    """A secret beside an allowed file, and the list of the root."""
    with tempfile.NamedTemporaryFile("w", dir="/var/tmp", prefix="kgym-secret-", delete=False) as secret:
        secret.write("seeds")
    os.chmod(secret.name, 0o644)
    try:
        seen = contained.run(f"""
import os
def look(path):
    try:
        return open(path).read()
    except OSError as error:
        return error.errno
say([look({secret.name!r}), look('/etc/shadow'), os.path.exists('/sys/kernel'), os.path.exists('/var/log')])""")
    finally:
        os.unlink(secret.name)
    assert seen == [2, 2, False, False]


def test_other_processes_are_out_of_sight_and_reach(contained: Zygote) -> None:
    neighbour = contained.fork("say('ready'); hear()")
    neighbour.hear()
    seen = contained.run("""
import os, signal
pids = sorted(int(p) for p in os.listdir('/proc') if p.isdigit())
def attempt(pid, sig):
    try:
        os.kill(pid, sig)
        return 0
    except OSError as error:
        return error.errno
say([os.getpid(), pids, attempt(1, signal.SIGKILL), attempt(-1, signal.SIGTERM), os.getppid()])""")
    own, pids, _, everybody, parent = seen
    assert pids == [1, own] and parent == 1
    assert everybody in (0, 1, 3)
    neighbour.tell("still there")
    assert neighbour.end() == "X exit 0"


def test_killing_pid_1_changes_nothing(contained: Zygote) -> None:
    host = contained.fork("""
import os, signal
for sig in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGCHLD, signal.SIGSEGV):
    try:
        os.kill(1, sig)
    except OSError:
        pass
say('ready')
hear()""")
    host.hear()
    assert host.command("D") == "D 0"
    assert host.command("F") == "F"


def test_the_supervisor_gives_nothing_away(contained: Zygote) -> None:
    seen = contained.run("""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def look(call):
    try:
        return call()
    except OSError as error:
        return error.errno
traced = libc.ptrace(16, 1, None, None)
number = ctypes.get_errno()
buffer = ctypes.create_string_buffer(8)
pidfd = look(lambda: os.pidfd_open(1))
stolen = libc.syscall(438, pidfd, 0, 0)
say([traced, number, look(lambda: os.listdir('/proc/1/fd')), look(lambda: open('/proc/1/mem', 'rb')),
     look(lambda: open('/proc/1/environ', 'rb').read()), look(lambda: os.readlink('/proc/1/root')), stolen])""", seccomp_hex="")
    assert seen == [-1, 1, 13, 13, 13, 13, -1], seen


def test_no_network(contained: Zygote) -> None:
    connect = """
import socket
try:
    socket.create_connection(('127.0.0.1', 22), 1)
    say('connected')
except OSError as error:
    say(error.errno)"""
    assert contained.run(connect) in ((1,) if DUMP else (13, 101))
    assert contained.run(connect, seccomp_hex="") in (13, 101)


def test_no_privilege_is_left(zygote: Zygote) -> None:
    status = zygote.run("say(open('/proc/self/status').read())")
    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    # Who has no privilege cannot empty the bounding set, and need not: no_new_privs makes it idle.
    bounding = [] if zygote.mode == "bare" else ["CapBnd"]
    assert all(int(fields[name], 16) == 0 for name in ["CapInh", "CapPrm", "CapEff", "CapAmb", *bounding])
    assert fields["NoNewPrivs"] == "1"
    assert "0" not in fields["Uid"].split()
    assert fields["Seccomp"] == ("2" if DUMP else "0")


def test_confinement_reaches_threads_that_run_already(zygote: Zygote) -> None:
    host = zygote.fork("""
import threading
turn, done = threading.Event(), threading.Event()
seen = []
def watch():
    turn.wait()
    fields = open('/proc/thread-self/status').read()
    seen.append([line for line in fields.splitlines() if line.startswith(('NoNewPrivs', 'CapEff'))])
    try:
        open('/etc/hostname').read()
        seen.append('read')
    except OSError as error:
        seen.append(error.errno)
thread = threading.Thread(target=watch)
thread.start()
import json
probe.confine(json.dumps({'read_only': ['/usr']}))
turn.set()
thread.join()
say(seen)""")
    seen = host.hear()
    assert len(seen) == 2, seen
    lines, outcome = seen
    assert lines[0].split() == ["CapEff:", "0000000000000000"] and lines[1].split() == ["NoNewPrivs:", "1"]
    assert outcome in (2, 13)


def test_an_allowed_path_below_tmp_stays_in_sight() -> None:
    folder = folder_for_anybody()
    kept = Path(folder, "kept")
    kept.mkdir()
    kept.joinpath("file").write_text("text")
    zygote = start("root" if os.geteuid() == 0 else "user", folder, [], more=[str(kept)])
    seen = zygote.run(f"""
import os
try:
    open({str(kept)!r} + '/new', 'w')
    written = True
except OSError:
    written = False
say([open({str(kept / "file")!r}).read(), written])""")
    zygote.close()
    shutil.rmtree(folder, ignore_errors=True)
    assert seen == ["text", False] or zygote.report["level"] != "full"
