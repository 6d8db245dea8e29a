"""Submissions that write to their host's socket, or describe their outputs, as no host would. One judge takes them all in turn, with honest submissions between
them: each hostile one gets its verdict, and each honest one after it is `ok`. Needs KGYM, the built binary."""
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli import BINARY, RELU, ROOT, TORCH_RELU, needs_binary, write

LIMIT_S = 900  # For all of them, on a machine that does other things as well.
FORGED = "rejected:result-forgery"

# Finds the host's own socket and the question in the frames above, does what is left to do, and answers rightly after that.
HOSTILE = '''\
import array, json, os, socket, sys, threading, time
import torch
from torch import nn


def mailbox():
    frame, found = sys._getframe(1), {{}}
    while frame is not None:
        for name in ("channel", "message"):
            if name in frame.f_locals and name not in found:
                found[name] = frame.f_locals[name]
        frame = frame.f_back
    return found["channel"]._socket, found["message"]


def attack(y):
    box, message = mailbox()
    nonce = message["nonce"]
    place = message["output"][0]
    right = {{"t": "tensor", "dtype": "float32", "shape": list(y.shape), "strides": list(y.stride()), "off": place}}
{attack}


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        attack(y)
        return y
'''

# Never answered by the host itself: what was sent is all that the judge gets, until its limit.
WAIT = "; threading.Event().wait(20)"

ATTACKS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "random_bytes": ("box.send(os.urandom(1000))", FORGED),
    "one_byte": ("box.send(b'{')", FORGED),
    "half_an_answer": ("box.send(json.dumps({'ok': True, 'nonce': nonce, 'outputs': right}).encode()[:-20])", FORGED),
    "largest_packet": ("box.send(b' ' * (192 * 1024))", FORGED),
    "longer_than_a_packet": ("box.send(json.dumps({'ok': True, 'nonce': nonce, 'outputs': right}).encode() + b' ' * (300 * 1024))", FORGED),
    "flood": ("""
    box.setblocking(False)
    try:
        for _ in range(100000):
            box.send(b'x' * 4096)
    except BlockingIOError:
        pass
    box.setblocking(True)""", FORGED),
    "wrong_nonce": ("box.send(json.dumps({'ok': True, 'nonce': '0' * 16, 'outputs': right}).encode())", FORGED),
    "no_nonce": ("box.send(json.dumps({'ok': True, 'outputs': right}).encode())", FORGED),
    "nonce_of_another_type": ("box.send(json.dumps({'ok': True, 'nonce': [nonce], 'outputs': right}).encode())", FORGED),
    "ok_of_another_type": ("box.send(json.dumps({'ok': 1, 'nonce': nonce, 'outputs': right}).encode())", FORGED),
    "no_object": ("box.send(json.dumps([nonce, True, right]).encode())", FORGED),
    "deep": ("box.send(b'{\"ok\": true, \"nonce\": \"' + nonce.encode() + b'\", \"outputs\": ' + b'[' * 90000 + b']' * 90000 + b'}')", FORGED),
    "not_a_number": ("box.send(b'{\"ok\": true, \"nonce\": \"' + nonce.encode() + b'\", \"outputs\": NaN}')", FORGED),
    "infinite": ("box.send(b'{\"ok\": true, \"nonce\": \"' + nonce.encode() + b'\", \"outputs\": -Infinity}')", FORGED),
    "number_out_of_range": ("box.send(b'{\"ok\": true, \"nonce\": \"' + nonce.encode() + b'\", \"outputs\": 1e999}')", FORGED),
    "huge_int": ("box.send(b'{\"ok\": true, \"nonce\": \"' + nonce.encode() + b'\", \"outputs\": ' + b'9' * 100000 + b'}')", FORGED),
    "not_utf8": ("box.send(b'{\"ok\": true, \"nonce\": \"' + nonce.encode() + b'\", \"outputs\": \"\\xff\\xfe\"}')", FORGED),
    "lone_surrogate": ("box.send(b'{\"ok\": true, \"nonce\": \"' + nonce.encode() + b'\", \"outputs\": \"\\\\ud800\"}')", FORGED),
    "many_fields": ("box.send(json.dumps({'ok': True, 'nonce': nonce, **{str(i): 0 for i in range(12000)}}).encode())", FORGED),
    "duplicate_nonce": ("box.send(b'{\"nonce\": \"' + nonce.encode() + b'\", \"ok\": true, \"nonce\": \"x\"}')", FORGED),
    "kind_of_the_judge": ("box.send(json.dumps({'ok': False, 'nonce': nonce, 'kind': 'infra', 'message': 'judge me again'}).encode())", FORGED),
    "kind_of_the_reference": ("box.send(json.dumps({'ok': False, 'nonce': nonce, 'kind': 'problem', 'message': 'the problem is wrong'}).encode())", FORGED),
    "verdict": ("box.send(json.dumps({'ok': True, 'nonce': nonce, 'outcome': 'ok', 'speedup': 100}).encode())", "fail:shape"),
    "failure_without_words": ("box.send(json.dumps({'ok': False, 'nonce': nonce, 'kind': 'runtime', 'message': 7}).encode())", "fail:runtime"),
    "answer_and_its_end": ("box.send(json.dumps({'ok': True, 'nonce': nonce, 'outputs': right}).encode()); os._exit(0)", ("fail:crash", "rejected:no-work")),
    "descriptors": ("socket.send_fds(box, [b'x'], [0] * 64)", FORGED),
    "more_descriptors_than_are_taken": ("socket.send_fds(box, [json.dumps({'ok': True, 'nonce': nonce, 'outputs': right}).encode()], [0] * 253)", FORGED),
    "flood_of_descriptors": ("""
    box.setblocking(False)
    mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        for _ in range(1000):
            socket.send_fds(box, [b'x'], [mine.fileno()] * 64)
    except OSError:
        pass
    box.setblocking(True)""", FORGED),
    "its_own_socket": ("socket.send_fds(box, [b'x'], [box.fileno()])", FORGED),
    "ends_its_side": ("box.shutdown(socket.SHUT_WR)" + WAIT, FORGED),
    "empty_packet": ("box.send(b'')" + WAIT, FORGED),
    "closes_its_socket": ("box.shutdown(socket.SHUT_RDWR)", "fail:crash"),
    "reads_no_question": ("box.shutdown(socket.SHUT_RD)", "fail:crash"),
    "takes_the_next_question": ("threading.Thread(target=lambda: box.recv(1 << 18), daemon=True).start()", ("fail:timeout", FORGED)),
    "impossible_shape": ("right['shape'] = [0, (1 << 62) - 1, (1 << 62) - 1]; box.send(json.dumps({'ok': True, 'nonce': nonce, 'outputs': right}).encode())", "fail:shape"),
    "impossible_place": ("right['off'] = -64; right['shape'] = [1 << 61, 8]; box.send(json.dumps({'ok': True, 'nonce': nonce, 'outputs': right}).encode())", "fail:shape"),
}


# Run while a submission is built; its builder host is no more trusted than a candidate. `answer` sends what a builder says.
HOSTILE_BUILD = '''\
import json, os, socket, sys, time
from torch import nn


def mailbox():
    frame, found = sys._getframe(1), {{}}
    while frame is not None:
        for name in ("channel", "message"):
            if name in frame.f_locals and name not in found:
                found[name] = frame.f_locals[name]
        frame = frame.f_back
    return found["channel"]._socket, found["message"]


def answer(artefacts, fds, **more):
    packet = json.dumps({{"ok": True, "nonce": message["nonce"], "artefacts": artefacts, **more}}).encode()
    socket.send_fds(box, [packet], fds) if fds else box.send(packet)


def holes(size):
    fd = os.memfd_create("holes")
    os.ftruncate(fd, size)
    return fd


box, message = mailbox()
if message["op"] == "build":
    {attack}


class ModelNew(nn.Module):
    def forward(self, x):
        return x.relu()
'''

BUILD_ATTACKS: dict[str, tuple[str, str]] = {
    "files_of_holes": ("answer(['%064x' % i for i in range(64)], [holes(255 << 20) for _ in range(64)])", FORGED),
    "endless_file": ("answer(['0' * 64], [holes((1 << 63) - 1)])", FORGED),
    "name_that_climbs": ("answer(['../../../tmp/' + 'a' * 52], [holes(1)])", FORGED),
    "name_that_is_none": ("answer([7], [holes(1)])", FORGED),
    "names_without_files": ("answer(['0' * 64], [])", FORGED),
    "files_without_names": ("answer([], [holes(1), holes(1)])", FORGED),
    "no_list": ("answer({'0' * 64: 0}, [holes(1)])", FORGED),
    "folder": ("answer(['0' * 64], [os.open('/tmp', os.O_RDONLY)])", FORGED),
    "more_files_than_are_taken": ("answer(['%064x' % i for i in range(200)], [holes(1)] * 200)", FORGED),
    "bytes_in_the_mailbox": ("box.send(os.urandom(500))", FORGED),
    "kind_of_the_judge": ("answer([], [], ok=False, kind='infra')", FORGED),
    "its_socket_as_a_file": ("answer(['0' * 64], [box.fileno()])", FORGED),
    "library_that_nobody_loads": ("answer(['0' * 64], [os.memfd_create('empty')])", "ok"),
}

# Its builder host fills the kernel's count of descriptors on their way, and keeps it full while another submission is built.
FLOOD_WHILE_BUILT = HOSTILE_BUILD.format(attack="""pairs = [socket.socketpair() for _ in range(64)]
    try:
        for one, _ in pairs:
            for _ in range(16):
                socket.send_fds(one, [b"x"], [0] * 250)
    except OSError:
        pass
    time.sleep(10)""")


def judged(folder: Path, sources: dict[str, str], jobs: int = 1) -> dict[str, dict[str, Any]]:
    """The verdicts of one judge over all sources, one after the other where `jobs` says no other."""
    built = ("load_inline", '"build"')
    rows = [{"id": name, "problem": "level1/relu", "submission": source, "backend": "cpp" if any(word in source for word in built) else "triton"}
            for name, source in sources.items()]
    path, out = write(folder, "rows.jsonl", "\n".join(map(json.dumps, rows))), folder / "verdicts.jsonl"
    # The limit of a call is twenty times as long for what is interpreted.
    settings = ["--set", "timing.enabled=false", "--set", "limits.call=2s", "--set", "judge.require_custom_kernel=false"]
    ended = subprocess.run([Path(BINARY).resolve(), "eval", path, "--out", out, "--jobs", str(jobs), *settings], cwd=ROOT, env=os.environ, stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=LIMIT_S, check=False)
    assert ended.returncode in (0, 1), ended.stderr.decode()
    return {verdict["submission"]["name"]: verdict for verdict in map(json.loads, out.read_text().splitlines())}


def expected_of(verdict: dict[str, Any], expected: str | tuple[str, ...]) -> None:
    assert verdict["outcome"] in ((expected,) if isinstance(expected, str) else expected), (verdict["outcome"], verdict["reason"])
    assert verdict["reason"] and len(verdict["reason"]) < 10_000


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    sources = {"warm_up": RELU}
    for name, (attack, _) in ATTACKS.items():
        sources[name] = HOSTILE.format(attack=attack if attack.startswith("\n") else "    " + attack)
        sources["after_" + name] = TORCH_RELU
    return judged(tmp_path_factory.mktemp("mailbox"), {**sources, "at_last": RELU})


@needs_binary
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_its_verdict_and_the_next_evaluation_is_unharmed(verdicts: dict[str, dict[str, Any]], name: str) -> None:
    expected_of(verdicts[name], ATTACKS[name][1])
    after = verdicts["after_" + name]
    assert after["outcome"] == "ok", after["reason"]


@needs_binary
def test_the_judge_is_unharmed_at_last(verdicts: dict[str, dict[str, Any]]) -> None:
    assert verdicts["warm_up"]["outcome"] == verdicts["at_last"]["outcome"] == "ok"
    assert not [name for name, verdict in verdicts.items() if verdict["outcome"] == "infra"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    sources = {name: fresh(HOSTILE_BUILD.format(attack=attack)) for name, (attack, _) in BUILD_ATTACKS.items()}
    return judged(tmp_path_factory.mktemp("builds"), {**sources, "at_last": fresh(RELU)})


def fresh(source: str) -> str:
    """The same submission under a key that no cache of builds has."""
    return "%s\n# %s\n" % (source, os.urandom(8).hex())


@needs_binary
@pytest.mark.parametrize("name", BUILD_ATTACKS)
def test_a_hostile_build_gets_its_verdict(built: dict[str, dict[str, Any]], name: str) -> None:
    expected_of(built[name], BUILD_ATTACKS[name][1])


@needs_binary
def test_the_judge_builds_as_before_after_hostile_builds(built: dict[str, dict[str, Any]]) -> None:
    assert built["at_last"]["outcome"] == "ok" and not built["at_last"]["stages"]["build_cached"], built["at_last"]["reason"]


@needs_binary
def test_a_build_beside_a_hostile_one_is_unharmed(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user's hosts are that user, and the kernel counts their descriptors together (docs/sandbox.md)")
    beside = judged(tmp_path, {"hostile": fresh(FLOOD_WHILE_BUILT), "honest": fresh(RELU)}, jobs=2)
    assert beside["honest"]["outcome"] == "ok", beside["honest"]["reason"]
