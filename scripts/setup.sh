#!/usr/bin/env bash
# Installs what a build and the tests need, and only what is missing: Debian packages, and a Python environment in
# .venv. Quiet and quick where nothing is missing.
#
#   KGYM_PYTHON  a Python that already imports torch: it is used as it is, and no environment is made.
#   PYTHON       the Python to make the environment with; python3 where unset.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=setup
. scripts/lib.sh

packages=(g++ make cmake ninja-build ccache mold clang-format libgtest-dev libgmock-dev libbenchmark-dev
  nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev libyaml-cpp-dev libseccomp-dev libzstd-dev
  libsqlite3-dev libhiredis-dev libssl-dev redis-server curl jq)
boost_packages=(libboost1.81-dev libboost1.83-dev libboost1.88-dev)  # Any of them; the first that the system offers.

# The packages among the arguments that are not installed.
not_installed() {
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null |
    awk '$2 == "ii" {print $1}' || true)
  printf '%s\n' "$@" | grep -vxF -f <(printf '%s\n' "$installed") || true
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
  if ! have dpkg-query; then
    say "not a Debian system: make sure that the equivalents of these are there: ${packages[*]} ${boost_packages[0]}"
    return
  fi
  local missing boost
  mapfile -t missing < <(not_installed "${packages[@]}" "${python_packages[@]}")
  mapfile -t boost < <(not_installed "${boost_packages[@]}")
  if [ "${#boost[@]}" -lt "${#boost_packages[@]}" ]; then boost=(); fi
  if [ "${#missing[@]}" = 0 ] && [ "${#boost[@]}" = 0 ]; then return; fi

  if [ "$(id -u)" != 0 ] && ! have sudo; then
    fail "these packages are missing, and neither root nor sudo is at hand: ${missing[*]} ${boost[0]-}"
  fi
  say "updating the package lists"
  as_root apt-get -qq -o DPkg::Lock::Timeout=120 update
  local name
  for name in "${boost[@]}"; do
    if apt-cache show "$name" >/dev/null 2>&1; then missing+=("$name"); break; fi
  done
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=120 --no-install-recommends \
    install "${missing[@]}" >/dev/null
}

# Installs a pinned requirement, or where this Python has no such version the newest one.
install_requirement() {
  local requirement=$1 name=${1%%[=<>;]*}
  pip_install "$requirement" && return
  say "$requirement is not to be had here; taking the newest $name"
  pip_install "$name" || fail "pip could not install $name"
}

pip_install() {
  say "pip install $*"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@" </dev/null
}

make_environment() {
  local stamp
  stamp=$("$python" --version 2>&1; cat requirements.txt requirements-dev.txt)
  stamp=$(printf '%s' "$stamp" | sha256sum | cut -d' ' -f1)
  if [ -x .venv/bin/python ] && [ "$(cat .venv/kgym-setup 2>/dev/null)" = "$stamp" ]; then return; fi

  if [ ! -x .venv/bin/python ]; then
    say "making .venv with $("$python" --version 2>&1)"
    "$python" -m venv .venv
  fi
  local requirement
  while read -r requirement; do
    install_requirement "$requirement"
  done < <(cat requirements.txt requirements-dev.txt | sed -e 's/ *#.*//' -e '/^$/d')
  printf '%s\n' "$stamp" > .venv/kgym-setup
}

check_given_python() {
  local absent
  absent=$("$KGYM_PYTHON" - <<'PYTHON'
from importlib.util import find_spec
print(*[name for name in ("torch", "triton", "numpy", "jsonschema", "pytest") if find_spec(name) is None])
PYTHON
  ) || fail "KGYM_PYTHON=$KGYM_PYTHON does not run"
  case " $absent " in *" torch "*) fail "KGYM_PYTHON=$KGYM_PYTHON has no torch" ;; esac
  if [ -n "$absent" ]; then say "KGYM_PYTHON=$KGYM_PYTHON lacks $absent: tests that need them will fail"; fi
}

python=${KGYM_PYTHON:-${PYTHON:-python3}}
python_packages=()
# The system's own Python comes without headers and venv; any other brings them.
if ! have "$python" || [ "$("$python" -c 'import sys; print(sys.base_prefix)')" = /usr ]; then
  python_packages=(python3 python3-dev python3-venv)
fi
install_packages
if [ -n "${KGYM_PYTHON:-}" ]; then check_given_python; else make_environment; fi
