"""The sandbox against hosts that do not want to be in one: as root, as an ordinary user, and without any namespace.

Takes the built probe from the folder KGYM_PROBE_DIR, and kgym_seccomp_dump from KGYM_SECCOMP_DUMP (else hosts go without seccomp and the
tests that need it are skipped). Every hostile act is bounded: it ends by itself or with its host.
"""
from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROBE = os.environ.get("KGYM_PROBE_DIR", "")
DUMP = os.environ.get("KGYM_SECCOMP_DUMP", "")
ZYGOTE = Path(__file__).with_name("sandbox_zygote.py")
NOBODY = 65534
PATIENCE_S = 30.0

pytestmark = pytest.mark.skipif(not PROBE, reason="KGYM_PROBE_DIR is not set")


def seccomp_hex() -> str:
    return subprocess.run([DUMP], check=True, capture_output=True, text=True).stdout.strip() if DUMP else ""


@dataclass
class Host:
    """One forked host as a judge holds it."""

    control: socket.socket
    work: socket.socket
    pidfd: int

    def hear(self) -> Any:
        packet = self.work.recv(1 << 17)
        return json.loads(packet) if packet else None

    def tell(self, text: str) -> None:
        self.work.send(text.encode())

    def command(self, letter: str) -> str:
        self.control.send(letter.encode())
        return self.control.recv(4096).decode()

    def end(self) -> str:
        """How the host ended, by its supervisor; waits until all of it is gone."""
        how = self.control.recv(4096).decode()
        assert self.is_gone(), "the supervisor lives on"
        return how

    def is_gone(self, within_s: float = PATIENCE_S) -> bool:
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(within_s * 1000))

    def close(self) -> None:
        self.control.close()
        self.work.close()
        assert self.is_gone(), "a host outlived its judge"
        os.close(self.pidfd)


@dataclass
class Zygote:
    """A zygote process and the specification of its hosts."""

    mode: str
    spec: dict[str, Any]
    channel: socket.socket
    process: subprocess.Popen[bytes]
    report: dict[str, Any] = field(default_factory=dict)
    hosts: list[Host] = field(default_factory=list)

    def ask(self, message: dict[str, Any]) -> Any:
        self.channel.send(json.dumps(message).encode())
        return json.loads(self.channel.recv(1 << 17))

    def fork(self, code: str, **spec: Any) -> Host:
        control, control_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        work, work_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps({"spec": {**self.spec, **spec}, "code": code}).encode()
        socket.send_fds(self.channel, [message], [control_end.fileno(), work_end.fileno()])
        reply, fds, _, _ = socket.recv_fds(self.channel, 1 << 17, 1)
        control_end.close()
        work_end.close()
        assert fds, reply
        for end in (control, work):
            end.settimeout(PATIENCE_S)
        host = Host(control, work, fds[0])
        self.hosts.append(host)
        return host

    def run(self, code: str, **spec: Any) -> Any:
        """The one value that `code` says."""
        return self.fork(code, **spec).hear()

    def close(self) -> None:
        for host in self.hosts:
            host.close()
        self.channel.close()
        self.process.wait(PATIENCE_S)


def allowed_paths(python: str) -> list[str]:
    query = "import sys; print(sys.prefix); print(sys.base_prefix)"
    prefixes = subprocess.run([python, "-c", query], check=True, capture_output=True, text=True).stdout.split()
    system = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives"]
    return [path for path in [*system, *prefixes, PROBE, str(ZYGOTE.parent)] if os.path.lexists(path)]


def start(mode: str, folder: str, modules: list[str], more: list[str] | None = None) -> Zygote:
    as_nobody = mode != "root" and os.geteuid() == 0
    # An interpreter in root's home is out of an ordinary user's reach.
    python = "/usr/bin/python3" if as_nobody else sys.executable
    spec = {
        "root": folder + "/root",
        "read_only": [*allowed_paths(python), *(more or [])],
        "tmp_mb": 8,
        "shm_mb": 8,
        "files": 128,
        "processes": 32,
        "memory_mb": 2048,
        "seccomp_hex": seccomp_hex(),
        # Without a user namespace all hosts of a user, and whatever else runs as that user, share one count of processes.
        **({"namespaces": [], "processes": 512} if mode == "bare" else {}),
    }
    channel, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel.settimeout(PATIENCE_S)
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if as_nobody else []
    process = subprocess.Popen([*become, python, "-I", str(ZYGOTE), str(end.fileno()), PROBE], pass_fds=[end.fileno()],
                               env={"PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1"})
    end.close()
    zygote = Zygote(mode, spec, channel, process)
    zygote.report = zygote.ask({"spec": spec, "modules": modules})
    return zygote


def folder_for_anybody() -> str:
    folder = tempfile.mkdtemp(prefix="kgym-sandbox-")
    os.chmod(folder, 0o777)
    return folder


@pytest.fixture(scope="module", params=["root", "user", "bare"])
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("not root")
    folder = folder_for_anybody()
    zygote = start(request.param, folder, [])
    yield zygote
    zygote.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def contained(zygote: Zygote) -> Zygote:
    """A zygote whose hosts have all namespaces."""
    if zygote.mode == "bare":
        pytest.skip("needs namespaces")
    if zygote.report["level"] != "full":
        pytest.skip("this system grants no namespaces: %s" % zygote.report)
    return zygote


def levels(report: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["level"] for step in report["steps"]}


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


def test_freezing_and_thawing_in_turn_stays_in_step(zygote: Zygote) -> None:
    host = zygote.fork("""
while True:
    say(hear().decode())""")
    for _ in range(200):
        assert host.command("F") == "F"
        assert host.command("T") == "T"
    host.tell("alive")
    assert host.hear() == "alive"


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
