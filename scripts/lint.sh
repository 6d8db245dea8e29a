#!/usr/bin/env bash
# What can be said of the sources without running them: format, floors, names, and that Python and shell parse.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=lint
. scripts/lib.sh

python=${KGYM_PYTHON:-$(if [ -x .venv/bin/python ]; then echo .venv/bin/python; else echo python3; fi)}
export PYTHONPYCACHEPREFIX=build/pycache  # Parsing must leave nothing beside the sources.
bad=0

check() {
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then say "$what: ok"; else say "$what: failed"; printf '%s\n' "$output"; bad=1; fi
}

mapfile -t cxx < <(find src bench python/kgym/bindings -name '*.h' -o -name '*.cc')
mapfile -t python_folders < <(ls -d python scripts tests/python 2>/dev/null)
mapfile -t shell < <(ls scripts/*.sh .ci/run)

check "C++ format (make format mends it)" clang-format --dry-run -Werror "${cxx[@]}"
check "floors" "$python" scripts/check_floors.py
check "names" "$python" scripts/check_names.py
check "Python parses" "$python" -m compileall -q "${python_folders[@]}"
for file in "${shell[@]}"; do check "$file parses" bash -n "$file"; done
exit "$bad"
