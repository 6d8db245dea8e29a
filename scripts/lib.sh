# Shared by the shell scripts: saying what is done, one line a step. Sourced, not run.

say() { printf '%s: %s\n' "${program:-kgym}" "$*"; }
fail() { printf '%s: %s\n' "${program:-kgym}" "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
