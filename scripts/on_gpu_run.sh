#!/usr/bin/env bash
# Runs what a bundle holds on this machine and writes the results, as JSON, into a folder of this moment. Stages go on
# after one that failed, but not after the doctor: without a card there is nothing to measure. Exit: 0 all stages fine,
# 1 one was not, 2 usage.
# shellcheck disable=SC2329  # Stages are functions that are called by their names.
set -uo pipefail
program=run
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/scripts/lib.sh"

usage() {
  cat <<'TEXT'
Usage: run.sh [OPTION...] [STAGE...]

Stages, in this order if none is named:
  doctor       what this machine can do, and one evaluation on the card
  cases        every verdict case that holds on a GPU
  bench        throughput, overhead, repeatability, isolation, memory
  served       throughput through HTTP, beside that of the bench, which must have run before (only if named)
  trust        how often verdicts are what they must be, every case again and again (only if named)
  accuracy     times of the judge beside four other ways of measuring
  kernelbench  submissions for problems of a KernelBench checkout (only with --kernelbench)

Options:
  --python PATH           the Python with torch and triton (default: KGYM_PYTHON, else python3)
  --out DIR               where the folder of results is made (default: results)
  --device DEVICE         cuda or cuda:N (default: cuda)
  --set KEY=VALUE         one key of the judge's configuration, for every stage; may be given again
  --only PARTS            parts of the bench, with commas between
  --seconds N             length of the bench's throughput part
  --full                  the counts that results are published with; the bench then takes a good deal longer
  --kernelbench CHECKOUT  a KernelBench checkout
  --submissions DIR       submissions for it, <level>__<problem>__<what>.py (default: examples/kernelbench)

Examples:
  ./run.sh --python venv/bin/python
  ./run.sh --out /data/results doctor cases
  ./run.sh --full --set judge.at_once=16 bench
  ./run.sh --kernelbench ../KernelBench --submissions ./mine kernelbench
TEXT
}

python=${KGYM_PYTHON:-python3}
out=results
device=cuda
kernelbench=
submissions=$here/examples/kernelbench
settings=()
bench_options=()
stages=()

need() { [ $# -ge 2 ] || { printf 'run: %s needs a value\n' "$1" >&2; exit 2; }; }

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage; exit 0 ;;
      --full) bench_options+=(--full); shift ;;
      --python) need "$@"; python=$2; shift 2 ;;
      --out) need "$@"; out=$2; shift 2 ;;
      --device) need "$@"; device=$2; shift 2 ;;
      --set) need "$@"; settings+=(--set "$2"); shift 2 ;;
      --only | --seconds) need "$@"; bench_options+=("$1" "$2"); shift 2 ;;
      --kernelbench) need "$@"; kernelbench=$2; shift 2 ;;
      --submissions) need "$@"; submissions=$2; shift 2 ;;
      doctor | cases | bench | served | trust | accuracy | kernelbench) stages+=("$1"); shift ;;
      *) printf "run: unknown option or stage '%s'; --help shows all\n" "$1" >&2; exit 2 ;;
    esac
  done
  if [ "${#stages[@]}" = 0 ]; then
    stages=(doctor cases bench accuracy)
    if [ -n "$kernelbench" ]; then stages+=(kernelbench); fi
  fi
}

kgym() {
  local command=$1
  shift
  "$here/bin/kgym" "$command" "$@" --device "$device" "${settings[@]}"
}

# The doctor's report, and one small evaluation on the card, which must be ok.
doctor() {
  local verdict=$results/first_verdict.json
  "$python" -c 'import sys, torch, triton; print(sys.executable, torch.__version__, triton.__version__, torch.version.cuda)' ||
    { say "$python does not import torch and triton: name another with --python"; return 1; }
  kgym doctor --json >"$results/doctor.json"  # Its own evaluation is in C++, so what it ends with says nothing here.
  kgym eval level1/softmax "$here/cases/gpu/triton/softmax_one_pass/submission.py" --root "$here/problems" \
    --backend triton --json >"$verdict" ||
    { say "the first evaluation was not ok: $verdict and $results/doctor.json say why"; return 1; }
}

cases() {
  kgym cases "$here/cases" --root "$here/problems" --out "$results/verdicts.jsonl" --json >"$results/cases.jsonl"
  local code=$?
  "$python" - "$results/cases.jsonl" <<'PYTHON'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{")]
for row in rows:
    if not row.get("as_expected", True):
        print("  %s: %s" % (row["case"], "; ".join(row["differences"])))
PYTHON
  return "$code"
}

bench() {
  "$here/bin/gpu_bench" --cases "$here/cases/gpu" --problems "$here/problems" --json "$results/bench.json" \
    --set "judge.device=$device" "${settings[@]}" "${bench_options[@]}" | tee "$results/bench.txt"
}

served() {
  [ -e "$results/bench.json" ] || { say "served: name the stage bench before it, with throughput among its parts"; return 1; }
  "$python" "$here/bench/served_throughput.py" "$results/bench.json" --kgym "$here/bin/kgym" --cases "$here/cases/gpu" \
    --problems "$here/problems" --device "$device" --json "$results/served.json" | tee "$results/served.txt"
}

trust() {
  "$here/bin/trust_bench" --cases "$here/cases" --problems "$here/problems" --device "$device" "${settings[@]}" \
    --repeats 20 --json "$results/trust.json" | tee "$results/trust.txt"
}

accuracy() {
  "$python" "$here/scripts/gpu_accuracy.py" --kgym "$here/bin/kgym" --cases "$here/cases/gpu/triton" \
    --problems "$here/problems" --device "$device" "${settings[@]}" --json "$results/accuracy.json" |
    tee "$results/accuracy.txt"
}

kernelbench() {
  [ -n "$kernelbench" ] || { say "kernelbench: name a checkout with --kernelbench"; return 1; }
  [ -d "$submissions" ] || { say "kernelbench: no folder $submissions; name one with --submissions"; return 1; }
  kgym eval "$submissions" --suite kernelbench --root "$kernelbench" --backend triton --out "$results/kernelbench.jsonl"
}

# One line of a record: stage, exit code, seconds.
run_stage() {
  local stage=$1 start=$SECONDS code=0
  say "$stage ..."
  "$stage" 2>"$results/$stage.log" || code=$?
  if [ "$code" != 0 ]; then tail -n 20 "$results/$stage.log" >&2; fi
  say "$stage: $([ "$code" = 0 ] && echo fine || echo "FAILED ($code)"), $((SECONDS - start)) s"
  printf '%s %s %s\n' "$stage" "$code" "$((SECONDS - start))" >>"$results/stages.txt"
  return "$code"
}

summary() {
  "$python" - "$results" "$(sed -n 's/^version: //p' "$here/kgym-bundle.txt")" <<'PYTHON'
import datetime, json, os, sys
folder, version = sys.argv[1:]
rows = [line.split() for line in open(os.path.join(folder, "stages.txt"))]
verdict = os.path.join(folder, "first_verdict.json")
text = open(verdict).read() if os.path.exists(verdict) else ""
provenance = json.loads(text).get("provenance", {}) if text.strip() else {}
record = {
    "schema": "kgym.on_gpu/1",
    "at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    "version": version,
    "machine": {key: provenance.get(key) for key in ("card", "driver", "cpu", "kernel", "cores", "versions")},
    "stages": {name: {"exit": int(code), "seconds": int(seconds)} for name, code, seconds in rows},
}
with open(os.path.join(folder, "summary.json"), "w") as file:
    json.dump(record, file, indent=1)
PYTHON
}

read_options "$@"
python=$(command -v "$python") || fail "there is no Python '$python': name one with --python"
export KGYM_PYTHON=$python
results=$out/$(date -u +%Y-%m-%d-%H%M%S)
mkdir -p "$results" || fail "cannot make $results"
# Builds use half of the cores, unless something else was asked for.
settings=(--set "judge.build_jobs=$((($(nproc) + 3) / 2))" "${settings[@]}")
failed=0
for stage in "${stages[@]}"; do
  if run_stage "$stage"; then continue; fi
  failed=1
  if [ "$stage" = doctor ]; then break; fi
done
summary
say "results: $results"
exit "$failed"
