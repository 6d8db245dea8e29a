"""The builder host: runs a submission's module once so that its backend builds what the submission declares, and hands the artefacts back.

Operation (judge -> host): build {backend, entry, init?, jobs} [source] -> {artefacts: [key...], log} [artefact...].
The submission's code runs here as it does in a candidate host, under the same sandbox; what it built is only ever given to the same submission again.
A failure other than one of compilation is not reported: the candidate host will meet it again, and name the stage where it belongs.
"""
from __future__ import annotations

import os
from typing import Any

from .backends import Context, backend as find_backend
from .candidate import import_submission, private_folder
from .wire import Failure


def op_build(message: dict[str, Any], fds: list[int]) -> tuple[dict[str, Any], list[int]]:
    context = Context(mode="build", private_dir=private_folder(), jobs=message["jobs"],
                      device=message.get("device", "cpu"), arch=message.get("arch", ""))
    backend = find_backend(message["backend"])
    backend.install(context)
    note = ""
    try:
        import_submission(fds[0], backend.translate)
    except Failure as failure:
        if failure.kind in ("compile", "oom"):
            raise
        note = "%s: %s" % (failure.kind, failure.message)
    built = {artefact.key: artefact.path for artefact in context.built}
    return {"artefacts": list(built), "note": note}, [os.open(path, os.O_RDONLY) for path in built.values()]
