#!/usr/bin/env bash
# Builds python/kgym and installs it into the project's own environment, .venv; quick where its sources are those of
# the last time. A Python that is somebody else's (KGYM_PYTHON) is left as it is: there the tests of the bindings are
# skipped, and say so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=bindings
. scripts/lib.sh

if [ -n "${KGYM_PYTHON:-}" ]; then
  say "KGYM_PYTHON is used as it is; to have them there: $KGYM_PYTHON -m pip install ./python/kgym"
  exit 0
fi
stamp=$(find python/kgym src/learn src/gym src/base -type f ! -name '*_test.cc' ! -name '*.pyc' -print0 | sort -z |
  xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
if [ "$(cat .venv/kgym-bindings 2>/dev/null)" = "$stamp" ]; then exit 0; fi
say "pip install ./python/kgym"
launcher=""
if have ccache; then launcher=ccache; fi
CMAKE_CXX_COMPILER_LAUNCHER=$launcher CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) .venv/bin/python -m pip install --quiet \
  --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall ./python/kgym </dev/null
printf '%s\n' "$stamp" > .venv/kgym-bindings
