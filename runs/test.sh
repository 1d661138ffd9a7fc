#!/usr/bin/env bash
# The one test command, by hand and in CI: formatting, lints, every test. Needs cargo, a C compiler and python3.
# Exit 0 only if every step passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() {
    printf '\n== %s\n' "$*" >&2
    "$@"
}

# Some toolchains come without these two; the tests still say what they can, and the gap is told.
tool() {
    if cargo "$1" --version >/dev/null 2>&1; then
        step cargo "$@"
    else
        printf '\n== SKIPPED: cargo %s (not installed)\n' "$*" >&2
    fi
}

tool fmt --all --check
tool clippy --locked --workspace --all-targets -- -D warnings
step cargo test --locked --workspace --no-fail-fast

# A public UCI client and a public reader of Parquet against the binary, in a throw-away Python environment under target/.
client() {
    local venv=target/venv
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || {
        apt-get install -y -qq python3-venv >&2 && python3 -m venv "$venv"
    }
    "$venv/bin/pip" install --quiet --disable-pip-version-check chess==1.11.2 duckdb==2.0.0
    "$venv/bin/python" runs/uci_client.py target/debug/tabiya
    "$venv/bin/python" runs/duckdb_check.py target/debug/tabiya
}
step client
