"""Ways out of a host that test_sandbox.py does not try: the judge by its number, sockets that it listens on, its group of processes, and everything of which
the kernel or the host has only so much. Each ends by itself or with its host, and a neighbour does as if nothing had been."""
from __future__ import annotations

import os
import signal
import socket

import pytest
from sandbox_hosts import DUMP, Zygote, contained, needs_probe, zygote  # noqa: F401

pytestmark = needs_probe

# Errors of the system: not permitted, no such file, no such process, no memory of that kind, denied.
REFUSED = {1, 2, 3, 5, 13}

NEIGHBOUR = """
import os, socket
one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
socket.send_fds(one, [b'x'], [0])
with open('/tmp/mine', 'wb') as file, open('/dev/shm/mine', 'wb') as shared:
    file.write(bytes(1 << 20))
    shared.write(bytes(1 << 20))
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
say('does as ever')"""


def fill(code: str, zygote: Zygote, **spec: object) -> object:
    """What a host says that has taken all of something, and still holds it while a neighbour is born, works and ends."""
    greedy = zygote.fork(code + "\nhear()", **spec)
    said = greedy.hear()
    assert zygote.run(NEIGHBOUR) == "does as ever"
    greedy.control.send(b"K")
    assert greedy.end().startswith("X signal 9")
    assert zygote.run(NEIGHBOUR) == "does as ever"
    return said


@pytest.mark.parametrize("seccomp", [True, False], ids=["seccomp", "no-seccomp"])
def test_the_judge_cannot_be_read_or_hit_by_its_number(zygote: Zygote, seccomp: bool) -> None:
    if not seccomp and zygote.mode != "root":
        pytest.skip("the host is the same user as who tests: seccomp and the pid namespace are the walls")
    outcome = zygote.run(f"""
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
class Span(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
def call(function, *arguments):
    return 0 if function(*arguments) != -1 else ctypes.get_errno()
def attempt(action):
    try:
        action()
        return 0
    except OSError as error:
        return error.errno
room = ctypes.create_string_buffer(8)
mine, theirs = Span(ctypes.addressof(room), 8), Span(id(libc), 8)
said = {{}}
for pid in ({os.getpid()}, {os.getppid()}, {zygote.process.pid}):
    said.update({{
        f'process_vm_readv {{pid}}': call(libc.process_vm_readv, pid, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0),
        f'process_vm_writev {{pid}}': call(libc.process_vm_writev, pid, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0),
        f'PTRACE_ATTACH {{pid}}': call(libc.ptrace, 16, pid, None, None),
        f'PTRACE_SEIZE {{pid}}': call(libc.ptrace, 0x4206, pid, None, None),
        f'kill {{pid}}': attempt(lambda: os.kill(pid, signal.SIGCONT)),
        f'pidfd {{pid}}': attempt(lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGCONT)),
        **{{f'{{name}} {{pid}}': attempt(lambda: open(f'/proc/{{pid}}/' + name, 'rb').read(8)) for name in ('mem', 'environ', 'maps', 'syscall')}},
        **{{f'{{name}} {{pid}}': attempt(lambda: os.listdir(f'/proc/{{pid}}/' + name)) for name in ('fd', 'map_files')}}}})
say(said)""", **({} if seccomp else {"seccomp_hex": ""}))
    # Without namespaces the zygote is a process of the host's own user, whose descriptors have numbers that may be listed, and nothing behind them.
    listed = {f"fd {zygote.process.pid}"} if zygote.mode == "bare" else set()
    assert {what for what, number in outcome.items() if number not in REFUSED} <= listed


def test_a_socket_that_somebody_listens_on_outside_is_out_of_reach(contained: Zygote) -> None:
    name = f"kgym-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as named, socket.socket() as internet:
        abstract.bind("\0" + name)
        named.bind(f"/var/tmp/{name}")
        internet.bind(("127.0.0.1", 0))
        try:
            for listening in (abstract, named, internet):
                listening.listen()
            outcome = contained.run(f"""
import socket
def reaches(family, address):
    try:
        with socket.socket(family) as other:
            other.settimeout(1)
            other.connect(address)
            return True
    except OSError:
        return False
say([reaches(socket.AF_UNIX, '\\0' + {name!r}), reaches(socket.AF_UNIX, '/var/tmp/' + {name!r}), reaches(socket.AF_INET, ('127.0.0.1', {internet.getsockname()[1]}))])""")
        finally:
            os.unlink(f"/var/tmp/{name}")
    assert outcome == [False, False, False]


def test_its_group_and_session_are_its_own(zygote: Zygote) -> None:
    host = zygote.fork("""
import os, signal
say([os.getpgid(0) == os.getsid(0), os.getpgid(0) in (os.getpid(), 0, 1)])
os.kill(0, signal.SIGKILL)""")
    own_group, _ = host.hear()
    assert own_group
    assert host.end() == f"X signal {int(signal.SIGKILL)}"
    assert zygote.run("say('the zygote lives')") == "the zygote lives"


def test_descriptors_run_out_for_one_host_alone(contained: Zygote) -> None:
    said = fill("""
import os
held = []
try:
    while len(held) < 5000:
        held.append(os.open('/dev/null', os.O_RDONLY))
except OSError as error:
    say([len(held), error.errno])""", contained)
    assert 64 < said[0] < 128 and said[1] == 24, "EMFILE is expected"


SEND_ALL = """
import socket
pairs, sent, number = [socket.socketpair() for _ in range(16)], 0, 0
try:
    for one, _ in pairs:
        for _ in range(16):
            socket.send_fds(one, [b'x'], [0] * 250)
            sent += 250
except OSError as error:
    number = error.errno
say([sent, number])"""


@pytest.mark.parametrize("other", [{"outside_uid": 0x70000002}, {"files": 1024}], ids=["another-user", "more-allowed"])
def test_descriptors_on_their_way_run_out_for_one_host_alone(contained: Zygote, other: dict[str, int]) -> None:
    """The kernel counts them for each user, against the limit of who sends: a neighbour is another user, or has more."""
    if contained.mode != "root" and "outside_uid" in other:
        pytest.skip("an ordinary user's hosts are that user")
    greedy = contained.fork(SEND_ALL + "\nhear()", **({"outside_uid": 0x70000001} if "outside_uid" in other else {}))
    assert greedy.hear() == [250, 109], "ETOOMANYREFS is expected"
    assert contained.run(NEIGHBOUR, **other) == "does as ever"
    greedy.control.send(b"K")
    assert greedy.end().startswith("X signal 9")
    assert contained.run(NEIGHBOUR) == "does as ever"


def test_a_host_is_who_it_should_be_outside_and_the_same_inside(contained: Zygote) -> None:
    if contained.mode != "root":
        pytest.skip("an ordinary user's hosts are that user")
    seen = contained.run("import os, pwd; say([os.getuid(), pwd.getpwuid(os.getuid()).pw_name, *open('/proc/self/uid_map').read().split()])", outside_uid=0x70000003)
    assert seen == [65534, "kernel", "65534", str(0x70000003), "1"]


def test_names_of_files_run_out(contained: Zygote) -> None:
    said = fill("""
made, number = 0, 0
try:
    while made < 50000:
        open(f'/tmp/{made}', 'w').close()
        made += 1
except OSError as error:
    number = error.errno
say([made, number])""", contained)
    assert 1000 < said[0] < 4096 and said[1] == 28, said


def test_shared_memory_runs_out(contained: Zygote) -> None:
    said = fill("""
number = 0
try:
    with open('/dev/shm/full', 'wb') as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
            file.flush()
except OSError as error:
    number = error.errno
say(number)""", contained)
    assert said == 28, "ENOSPC is expected"


def test_threads_run_out(contained: Zygote) -> None:
    said = fill("""
import threading
stop, made = threading.Event(), 0
try:
    while made < 1000:
        threading.Thread(target=stop.wait, daemon=True).start()
        made += 1
except RuntimeError:
    pass
say(made)""", contained, processes=24)
    assert 10 <= said < 24


def test_pipes_take_no_more_than_their_share(contained: Zygote) -> None:
    """A user's pipes share a number of pages; a neighbour, where it is another user, still gets a whole one."""
    if contained.mode != "root":
        pytest.skip("the hosts are one user")
    full = """
import fcntl, os
held, number = [], 0
try:
    while len(held) < 5000:
        held.append(os.pipe())
        fcntl.fcntl(held[-1][0], 1031, 1 << 20)
except OSError as error:
    number = error.errno
say([len(held), number])"""
    greedy = contained.fork(full + "\nhear()", outside_uid=0x70000001)
    assert greedy.hear()[1] in (1, 16, 24)
    assert contained.run("import fcntl, os; say(fcntl.fcntl(os.pipe()[0], 1032))", outside_uid=0x70000002) == 1 << 16


@pytest.mark.skipif(not DUMP, reason="KGYM_SECCOMP_DUMP is not set")
def test_what_outlives_its_maker_cannot_be_made(zygote: Zygote) -> None:
    """Segments, queues and semaphores of System V, queues of POSIX, keys: none is counted by a limit of the host."""
    numbers = {"shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240, "add_key": 248, "io_uring_setup": 425, "userfaultfd": 323, "bpf": 321, "perf_event_open": 298}
    outcome = zygote.run(f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
say({{name: ctypes.get_errno() if libc.syscall(number, 0, 4096, 0o1600, 0, 0) == -1 else 0 for name, number in {numbers!r}.items()}})""")
    assert set(outcome.values()) == {1}, outcome
