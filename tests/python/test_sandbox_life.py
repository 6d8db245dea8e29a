"""The life of a host: how it begins and ends, is frozen and thawed, what it leaves behind. Every hostile act is bounded: it ends by itself or with its host."""
from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
from sandbox_hosts import DUMP, PATIENCE_S, PROBE, Host, Zygote, contained, folder_for_anybody, levels, needs_probe, start, zygote  # noqa: F401

pytestmark = needs_probe


def test_every_step_is_taken_where_the_system_allows(contained: Zygote) -> None:
    reports = contained.run("say(reports)")
    weak = {n: l for r in reports.values() for n, l in levels(r).items() if l != "full"}
    expected = {"cgroup"} | (set() if DUMP else {"seccomp"})
    assert set(weak) == expected, reports


def test_a_strict_host_is_refused_with_a_sentence(zygote: Zygote) -> None:
    host = zygote.fork("say('alive')", strict=True)
    how = host.end()
    assert how.startswith("X setup sandbox: step '") and "strict" in how


def test_descriptors_are_those_of_the_spec(zygote: Zygote) -> None:
    fds = zygote.run("import os; say(sorted(int(f) for f in os.listdir('/proc/self/fd') if os.path.lexists('/proc/self/fd/' + f)))")
    # 0, 1, 2, the work socket, and what listdir itself opened while it looked.
    assert fds[:3] == [0, 1, 2] and len(fds) <= 5, fds
    held = zygote.run("""
import os
held = []
for fd in range(3, 128):
    try:
        held.append(os.readlink(f'/proc/self/fd/{fd}').split(':')[0])
    except FileNotFoundError:
        pass
say(held)""")
    assert held == ["socket"], held


def test_endings_are_told_apart(zygote: Zygote) -> None:
    cases = {
        "import os; os._exit(3)": "X exit 3",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": f"X signal {int(signal.SIGKILL)}",
        "import ctypes; ctypes.string_at(0)": f"X signal {int(signal.SIGSEGV)}",
        "import os; os.abort()": f"X signal {int(signal.SIGABRT)}",
        "say('done')": "X exit 0",
    }
    for code, how in cases.items():
        assert zygote.fork(code).end() == how, code


def test_sigterm_may_be_ignored_but_not_the_judge(zygote: Zygote) -> None:
    host = zygote.fork("""
import signal, time
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(s, signal.SIG_IGN)
say('ready')
while True:
    signal.pause()""")
    assert host.hear() == "ready"
    assert host.command("K") == "X signal 9"
    assert host.is_gone()


def test_end_of_control_kills(zygote: Zygote) -> None:
    host = zygote.fork("say('ready'); hear()")
    host.hear()
    host.control.close()
    assert host.is_gone()


def test_death_of_the_zygote_kills_hosts() -> None:
    folder = folder_for_anybody()
    zygote = start("root" if os.geteuid() == 0 else "user", folder, [])
    hosts = [zygote.fork("say('ready'); hear()") for _ in range(3)]
    for host in hosts:
        host.hear()
    zygote.process.kill()
    zygote.process.wait(PATIENCE_S)
    assert all(host.is_gone() for host in hosts)
    zygote.close()
    shutil.rmtree(folder, ignore_errors=True)


def test_freezing_stops_children_too(zygote: Zygote) -> None:
    host = zygote.fork("""
import mmap, os, signal
shared = mmap.mmap(-1, 4096)
if os.fork() == 0:
    while True:
        shared[:8] = (int.from_bytes(shared[:8], 'little') + 1).to_bytes(8, 'little')
while True:
    hear()
    say(int.from_bytes(shared[:8], 'little'))""")

    def count() -> int:
        host.tell("?")
        return host.hear()

    before = count()
    while count() == before:
        pass
    assert host.command("F") == "F"
    host.tell("?")  # Lies there until the thaw.
    with pytest.raises(TimeoutError):
        host.work.settimeout(0.3)
        host.hear()
    host.work.settimeout(PATIENCE_S)
    assert host.command("F") == "F"
    assert host.command("T") == "T"
    thawed = host.hear()
    while count() == thawed:
        pass


def test_counter_stands_still_while_frozen(zygote: Zygote) -> None:
    """The judge maps the memory that the host counts in, and sees it stand still."""
    host = zygote.fork("""
import array, mmap, os, socket
fd = os.memfd_create('counter')
os.ftruncate(fd, 4096)
socket.send_fds(work, [b'{}'], [fd])
shared = memoryview(mmap.mmap(fd, 4096)).cast('Q')
for _ in range(3):
    if os.fork() == 0:
        break
while True:
    shared[0] += 1""")
    import mmap
    _, fds, _, _ = socket.recv_fds(host.work, 64, 1)
    shared = memoryview(mmap.mmap(fds[0], 4096)).cast("Q")
    os.close(fds[0])
    assert host.command("F") == "F"
    first = shared[0]
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        assert shared[0] == first
    host.command("T")
    while shared[0] == first:
        pass


@pytest.mark.skipif(not DUMP, reason="needs seccomp")
def test_a_frozen_host_cannot_be_woken_by_a_timer(zygote: Zygote) -> None:
    errno_text = zygote.run("""
import ctypes, ctypes.util
libc = ctypes.CDLL(None, use_errno=True)
event = (ctypes.c_int * 16)(0, 0, 18, 0)  # sigev_value, sigev_signo = SIGCONT, sigev_notify = SIGEV_SIGNAL
timer = ctypes.c_void_p()
result = libc.timer_create(1, event, ctypes.byref(timer))
import os
say(os.strerror(ctypes.get_errno()) if result else 'made')""")
    assert errno_text == "Operation not permitted"


def test_a_host_that_wakes_itself_is_told(zygote: Zygote) -> None:
    host = zygote.fork("""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
event = (ctypes.c_int * 16)(0, 0, 18, 0)
timer = ctypes.c_void_p()
made = libc.timer_create(1, event, ctypes.byref(timer))
say(made)
hear()
libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 0, 200_000_000), None)
say('armed')
while True:
    hear()""", seccomp_hex="")
    assert host.hear() == 0
    host.tell("go")
    assert host.hear() == "armed"
    assert host.command("F") == "F"
    time.sleep(0.5)  # Its timer is due after 0.2 s. Nothing tells the judge before it asks.
    assert host.command("T") == "T woken"
    assert host.command("F") == "F"
    assert host.command("T") == "T"


def until_woken(host: Host) -> str:
    """Freezes and thaws until the supervisor tells that the host was woken. Whoever wakes it may be late any number of times, not for ever."""
    while True:
        for letter in "FT":
            heard = host.command(letter)
            if heard.endswith(" woken"):
                return heard
            assert heard == letter


needs_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="on one core nobody runs beside the supervisor, to wake others at the right moment")


@needs_cores
def test_a_child_that_wakes_its_host_is_told(zygote: Zygote) -> None:
    host = zygote.fork("""
import os, signal
parent = os.getpid()
for _ in range(4):  # On a busy machine, one is rarely at it when the host is to stop.
    if os.fork() == 0:
        while True:
            os.kill(parent, signal.SIGCONT)
say('ready')
hear()""")
    assert host.hear() == "ready"
    assert until_woken(host) == "T woken"


@needs_cores
def test_children_that_wake_everybody_are_told(contained: Zygote) -> None:
    host = contained.fork("""
import os, signal
assert os.getpid() == 2  # In a namespace of its own: nobody else is within reach.
for _ in range(4):
    if os.fork() == 0:
        while True:
            os.kill(-1, signal.SIGCONT)
say('ready')
hear()""")
    assert host.hear() == "ready"
    assert until_woken(host) in {"T woken", "X signal 9 woken"}


def test_a_thread_that_waits_for_a_stopped_child_of_vfork_holds_nothing_up(zygote: Zygote) -> None:
    host = zygote.fork("""
import ctypes, os, threading
libc = ctypes.CDLL(None)
def answer():
    say('ready')
    while True:
        say(hear().decode())
threading.Thread(target=answer).start()
clone = {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
if libc.syscall(clone, 0x4000 | 17, 0, 0, 0, 0) == 0:  # CLONE_VFORK, SIGCHLD
    while True:
        libc.pause()""")
    assert host.hear() == "ready"
    for word in ("once", "twice"):
        assert host.command("F") == "F"
        host.tell(word)
        assert host.command("T") == "T"
        assert host.hear() == word


def test_freezing_and_thawing_in_turn_stays_in_step(zygote: Zygote) -> None:
    host = zygote.fork("""
while True:
    say(hear().decode())""")
    for _ in range(200):
        assert host.command("F") == "F"
        assert host.command("T") == "T"
    host.tell("alive")
    assert host.hear() == "alive"


@pytest.mark.skipif(not DUMP, reason="needs seccomp")
def test_nobody_but_the_supervisor_inherits_daemons(zygote: Zygote) -> None:
    host = zygote.fork("""
import ctypes, os, signal
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
if os.fork() == 0:
    if os.fork() == 0:
        while True:
            signal.pause()
    os._exit(0)
os.wait()
say('ready')
hear()""")
    assert host.hear() == "ready"
    assert host.command("D") == "D 1"


def test_daemons_are_counted_and_do_not_outlive(zygote: Zygote) -> None:
    code = """
import os, signal
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(write, b'x')
        while True:
            signal.pause()
    os._exit(0)
os.wait()
os.read(read, 1)
say(os.getpid())
hear()"""
    host = zygote.fork(code)
    host.hear()
    assert host.command("D") == "D 1"
    host.tell("end")
    assert host.end() == "X exit 0 daemons 1"


def test_two_hundred_hosts_leave_nothing_behind(zygote: Zygote) -> None:
    def ended() -> None:
        zygote.fork("pass").end()
        zygote.hosts.pop().close()

    ended()
    zygote.ask({"reap": True})
    before = zygote.ask({"count": "fds"})
    for _ in range(200):
        ended()
    reaped = zygote.ask({"reap": True})
    assert len(reaped) == 200 and all(code == 0 for _, code in reaped)
    assert zygote.ask({"reap": True}) == []
    assert zygote.ask({"count": "fds"}) == before


def test_malloc_perturb_and_close_fds() -> None:
    code = """
import ctypes, os, sys
sys.path.insert(0, sys.argv[1])
import _probe
_probe.set_malloc_perturb(0x5a)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
assert ctypes.string_at(libc.malloc(1000), 1000) == bytes([0x5a ^ 0xff]) * 1000
_probe.set_malloc_perturb(0)
spare, keep = os.pipe()
_probe.close_fds_except([0, 1, 2, keep])
os.fstat(keep)
try:
    os.fstat(spare)
except OSError:
    print('closed')
for wrong in (lambda: _probe.confine('{"x": 1}'), lambda: _probe.set_malloc_perturb(256)):
    try:
        wrong()
    except RuntimeError as error:
        print(error)
"""
    result = subprocess.run([sys.executable, "-I", "-c", code, PROBE], capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    assert lines[0] == "closed" and "unknown key 'x'" in lines[1] and "from 0 to 255" in lines[2]


def test_time_to_a_ready_host_with_torch(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    folder = folder_for_anybody()
    zygote = start("root" if os.geteuid() == 0 else "user", folder, ["torch"])
    spans = []
    for _ in range(10):
        began = time.perf_counter()
        host = zygote.fork("say('ready')")
        assert host.hear() == "ready"
        spans.append((time.perf_counter() - began) * 1000)
        host.end()
    works = zygote.run("import torch; torch.set_num_threads(2); say(float((torch.ones(300, 300) @ torch.ones(300, 300)).sum()))",
                       memory_mb=8192)
    zygote.close()
    shutil.rmtree(folder, ignore_errors=True)
    assert works == 300.0**3
    with capsys.disabled():
        print(f"\nfork to ready, confined, with torch imported: median {sorted(spans)[5]:.1f} ms, most {max(spans):.1f} ms")
