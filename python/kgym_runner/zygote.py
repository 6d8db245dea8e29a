"""The zygote: a process that has imported torch and triton, runs no operator, and forks hosts on request.

Started by the judge as `python -I zygote.py FD`, FD being its private socket. First packet: {op: prepare, sandbox, modules, device, arch, seeded} [backends] ->
{versions, report, backends, unprepared}; the sandbox's template is made before torch is imported, while there is one thread. Then {op: fork, kind, device, card, arch,
seeded, cpus, threads, sandbox} [control, work, output] -> {pid} [pidfd]. End of file ends it, and with it every host.
"""
from __future__ import annotations

import gc
import importlib
import json
import os
import platform
import random
import signal
import sys
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(_HERE))
SHARED: dict[str, Any] = {}  # The part of the sandbox that all hosts share; set by prepare, constant afterwards.


def _versions(modules: list[str]) -> dict[str, str]:
    """Import what hosts will need; a module that is absent is left out."""
    found = {"python": platform.python_version()}
    for name in modules:
        try:
            found[name] = str(getattr(importlib.import_module(name), "__version__", ""))
        except ImportError:
            continue
    return {k: v for k, v in found.items() if v}


def _shown(more: list[str]) -> list[str]:
    """The folders that hosts need to see: this Python, its packages, the runner, compilers and their libraries, and some more."""
    system = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives"]
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(_HERE), *(p for p in sys.path if os.path.isdir(p))]
    paths = sorted({os.path.realpath(p) for p in python} | set(python) | {p for p in [*system, *more] if os.path.exists(p)})
    return [p for p in paths if not any(p != q and p.startswith(q + "/") for q in paths)]


def _declare(fd: int) -> None:
    """The backends that an operator declares. Raises ValueError."""
    from kgym_runner.backends import declared
    with open(fd, "rb") as file:
        declared.declare(json.load(file))


def prepare(probe: Any, message: dict[str, Any], declared: int) -> dict[str, Any]:
    from kgym_runner import gpu_zygote
    on_gpu = message["device"] != "cpu"
    SHARED.update({**message["sandbox"], "read_only": _shown([]), "devices": []})
    if on_gpu:
        os.makedirs(message["seeded"], exist_ok=True)
        SHARED.update({"read_only": _shown(gpu_zygote.shown(message["seeded"])), "devices": gpu_zygote.device_files()})
    report = json.loads(probe.prepare_zygote(json.dumps(SHARED)))
    versions = _versions(message["modules"])
    if "torch" not in versions:
        return {"ok": False, "message": "torch cannot be imported by %s" % sys.executable}
    for name in ("reference", "candidate", "builder", "toolkit"):
        importlib.import_module("kgym_runner." + name)
    try:
        _declare(declared)
    except ValueError as error:
        return {"ok": False, "kind": "backend", "message": str(error)}
    unprepared = gpu_zygote.prepare(probe, message["arch"], message["seeded"]) if on_gpu else []
    gc.collect()
    gc.freeze()
    return {"ok": True, "versions": versions, "report": report, "backends": _backends(message["device"]), "unprepared": unprepared, "shown": SHARED["read_only"]}


def _backends(device: str) -> dict[str, Any]:
    """The declarations as the judge needs them; `missing` names what a backend lacks here."""
    from kgym_runner import backends
    table = {}
    for name in backends.names():
        declared = backends.backend(name)
        table[name] = {"needs_build": declared.needs_build, "speed": declared.measures_speed(device), "limit_scale": declared.limit_scale(device),
                       "runs": device in declared.devices, "missing": declared.missing()}
        if declared.description:
            table[name]["description"] = declared.description
    return table


def _take_device(probe: Any, message: dict[str, Any]) -> None:
    """Before the sandbox closes: a CUDA context needs what is forbidden later. A builder has no card."""
    from kgym_runner import device, gpu_zygote
    from kgym_runner.backends import triton_seed
    if message["kind"] == "builder":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        return
    if message["device"] == "cuda" and message["kind"] == "candidate":
        triton_seed.populate(gpu_zygote.SEEDED[0], os.environ["TRITON_CACHE_DIR"])
    device.become(message["device"], message["card"], message["arch"], probe)
    if message["kind"] == "candidate":
        device.current().warm_profile()


def _become_host(probe: Any, message: dict[str, Any], born: dict[str, Any], work: int, output: int) -> None:
    """The forked child from here on: wire it up, confine it, answer the judge, end."""
    import torch
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for number, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False))
    if message["cpus"]:
        os.sched_setaffinity(0, message["cpus"])
    torch.set_num_threads(message["threads"])
    torch.set_grad_enabled(False)
    random.seed()
    torch.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    os.environ.update({"HOME": "/tmp", "TMPDIR": "/tmp", "TRITON_CACHE_DIR": "/tmp/triton", "TORCH_EXTENSIONS_DIR": "/tmp/extensions",
                       "TORCHINDUCTOR_CACHE_DIR": "/tmp/torchinductor", "USER": "kernel"})
    os.chdir("/tmp")
    _take_device(probe, message)
    report = json.loads(probe.confine(json.dumps({**SHARED, **message["sandbox"], "keep_fds": [work]})))

    report = {"level": min(born["level"], report["level"], key=("none", "partial", "full").index), "steps": born["steps"] + report["steps"]}

    from kgym_runner.wire import Channel, serve
    channel = Channel(work)
    if message["kind"] == "builder":
        from kgym_runner.builder import op_build
        operations = {"build": op_build}
    elif message["kind"] == "candidate":
        from kgym_runner.candidate import Candidate
        from kgym_runner.toolkit import Toolkits
        operations = {**Candidate(probe).operations(), **Toolkits().operations()}
    else:
        from kgym_runner.reference import Reference
        operations = Reference(probe).operations()
    channel.send({"ok": True, "ready": message["kind"], "report": report})
    serve(channel, operations)


def fork(probe: Any, message: dict[str, Any], fds: list[int]) -> tuple[dict[str, Any], int | None]:
    """One host. Returns the reply and a pidfd to send; in the child it does not return."""
    control, work, output = fds
    sandbox = {**SHARED, **message["sandbox"], "keep_fds": [work, output]}
    try:
        role, *rest = probe.fork_host(json.dumps(sandbox), control)
    except (RuntimeError, OSError) as error:
        return {"ok": False, "message": str(error)}, None
    if role == "host":
        code = 70
        try:
            _become_host(probe, message, json.loads(rest[0]), work, output)
            code = 0
        except BaseException:  # noqa: BLE001
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return {"ok": True, "pid": rest[0]}, rest[1]


def main(fd: int) -> None:
    from kgym_runner import _probe as probe
    from kgym_runner.wire import Channel
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel(fd)
    while (packet := channel.receive()) is not None:
        message, fds = packet
        probe.reap()
        if message["op"] == "prepare":
            channel.send(prepare(probe, message, fds[0]))
            continue
        reply, pidfd = fork(probe, message, fds)
        channel.send(reply, [] if pidfd is None else [pidfd])
        for descriptor in [*fds, *([] if pidfd is None else [pidfd])]:
            os.close(descriptor)


if __name__ == "__main__":
    main(int(sys.argv[1]))
