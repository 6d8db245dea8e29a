#!/usr/bin/env bash
# Everything that kgym shows on a GPU, as one folder that runs on a bare machine: a driver, a Python with torch and
# triton, and nothing else; no network, no compiler for the judge itself.
#
# The folder holds the stripped binary and benches, problems/, cases/ and run.sh (scripts/on_gpu_run.sh), which runs the
# stages and writes their results as JSON.
set -euo pipefail
program=on_gpu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib.sh
. "$root/scripts/lib.sh"

limit_mb=60
marker=kgym-bundle.txt

usage() {
  cat <<'TEXT'
Usage: on_gpu.sh bundle DIR [--build DIR]   make the folder DIR out of build/release (or --build)
       on_gpu.sh run [OPTION...] [STAGE...]  make one in a temporary folder and run it here; options as `DIR/run.sh --help`

Examples:
  make build && scripts/on_gpu.sh bundle build/bundle
  rsync -a build/bundle/ gpu-machine:kgym/ && ssh gpu-machine kgym/run.sh --python venv/bin/python --out results
  scripts/on_gpu.sh run --out bench/results doctor cases
TEXT
}

# What the sources were, for the record: commit and whether anything was changed since.
version() {
  local commit changes
  if ! have git || ! commit=$(git -C "$root" rev-parse HEAD 2>/dev/null); then echo unknown; return; fi
  changes=$(git -C "$root" status --porcelain --untracked-files=no 2>/dev/null | wc -l)
  if [ "$changes" = 0 ]; then echo "$commit"; else echo "$commit with $changes changed files"; fi
}

bundle() {
  local target=$1 build=$2 name size
  for name in kgym gpu_bench trust_bench; do
    [ -x "$build/bin/$name" ] || fail "$build/bin/$name is not there: \`make build\` makes it (or name a build with --build)"
  done
  if [ -e "$target" ] && [ ! -e "$target/$marker" ] && [ -n "$(ls -A "$target")" ]; then
    fail "$target holds something else: name a new folder, or an older bundle"
  fi
  mkdir -p "$target"
  printf 'version: %s\n' "$(version)" >"$target/$marker"
  rm -rf "${target:?}"/{bin,problems,cases,examples,scripts,bench,python,run.sh}
  mkdir -p "$target"/{bin,scripts,bench,python/kgym/src}
  for name in kgym gpu_bench trust_bench; do strip -o "$target/bin/$name" "$build/bin/$name"; done
  cp -r "$root/problems" "$root/cases" "$root/examples" "$target/"
  cp "$root"/scripts/{lib.sh,gpu_accuracy.py,validate_verdicts.py} "$target/scripts/"
  cp "$root/bench/served_throughput.py" "$target/bench/"
  cp -r "$root/python/kgym/src/kgym" "$target/python/kgym/src/"
  cp "$root/scripts/on_gpu_run.sh" "$target/run.sh"
  find "$target" -name __pycache__ -type d -prune -exec rm -rf {} +
  size=$(du -sm --apparent-size "$target" | cut -f1)
  [ "$size" -lt "$limit_mb" ] || fail "$target has $size MB; less than $limit_mb is expected"
  say "$target: $size MB, $(version)"
}

main() {
  local build="$root/build/release" scratch
  case ${1-} in
    bundle)
      [ $# -ge 2 ] || fail "bundle: a folder is expected; \`on_gpu.sh --help\` shows how"
      if [ "${3-}" = --build ]; then build=${4:?--build needs a folder}; elif [ $# -gt 2 ]; then fail "unexpected '$3'"; fi
      bundle "$2" "$build" ;;
    run)
      shift
      scratch=$(mktemp -d)
      # shellcheck disable=SC2064 # The folder as it is now.
      trap "rm -rf '$scratch'" EXIT
      bundle "$scratch" "$build"
      "$scratch/run.sh" "$@" ;;
    -h | --help) usage ;;
    *) usage >&2; exit 2 ;;
  esac
}

main "$@"
