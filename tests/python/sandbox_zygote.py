"""A minimal zygote for the tests of the sandbox: prepares itself, then forks a host for each packet and lets it run a piece of Python, confined.

Started as `python -I sandbox_zygote.py SOCKET PROBE_FOLDER`. First packet {spec, modules} -> the report of prepare_zygote. Then
{spec, code} with descriptors [control, work] -> {pid} with a pidfd, or {error}; {reap: true} -> a list of (pid, code); {count: "fds"} ->
the number of descriptors that the zygote holds. The code of a host sees `say(value)`, `hear()`, `work`, and `reports`.
"""
from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from typing import Any


def become_host(probe: Any, birth: str, message: dict[str, Any], work_fd: int) -> None:
    work = socket.socket(fileno=work_fd)

    def say(value: Any) -> None:
        work.send(json.dumps(value).encode())

    def hear() -> bytes:
        return work.recv(4096)

    code = 0
    try:
        reports = {"birth": json.loads(birth), "confine": json.loads(probe.confine(json.dumps(message["spec"])))}
        names = {"say": say, "hear": hear, "work": work, "reports": reports, "probe": probe, "__name__": "host"}
        exec(compile(message["code"], "host", "exec"), names)  # noqa: S102
    except BaseException:  # noqa: BLE001
        say({"traceback": traceback.format_exc()})
        code = 70
    os._exit(code)


def fork(probe: Any, channel: socket.socket, message: dict[str, Any], fds: list[int]) -> None:
    control, work = fds
    spec = {**message["spec"], "keep_fds": [work]}
    try:
        role, *rest = probe.fork_host(json.dumps(spec), control)
    except RuntimeError as error:
        channel.send(json.dumps({"error": str(error)}).encode())
        return
    if role == "host":
        become_host(probe, rest[0], message, work)
    pid, pidfd = rest
    socket.send_fds(channel, [json.dumps({"pid": pid}).encode()], [pidfd])
    for fd in (control, work, pidfd):
        os.close(fd)


def main() -> None:
    channel = socket.socket(fileno=int(sys.argv[1]))
    sys.path.insert(0, sys.argv[2])
    import _probe as probe

    first = json.loads(channel.recv(1 << 17))
    report = probe.prepare_zygote(json.dumps(first["spec"]))
    for name in first["modules"]:
        __import__(name)
    channel.send(report.encode())
    while True:
        packet, fds, _, _ = socket.recv_fds(channel, 1 << 17, 4)
        if not packet:
            return
        message = json.loads(packet)
        if "code" in message:
            fork(probe, channel, message, list(fds))
        elif "reap" in message:
            channel.send(json.dumps(probe.reap()).encode())
        else:
            channel.send(json.dumps(len(os.listdir("/proc/self/fd"))).encode())


if __name__ == "__main__":
    main()
