#!/usr/bin/env bash
# The one test command, by hand and in CI: formatting, lints, every test, games in a browser. Needs cargo, a C compiler,
# python3, and Node.js 20.19 with npm for the page. Exit 0 only if every step passed; the last lines say what was done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

summary=""
running=""
step() {
    printf '\n== %s\n' "$*" >&2
    running="$*"
    local begun=$SECONDS
    "$@"
    summary+="passed   $* ($((SECONDS - begun)) s)"$'\n'
    running=""
}
skip() {
    printf '\n== SKIPPED: %s\n' "$*" >&2
    summary+="SKIPPED  $*"$'\n'
}
finish() {
    [ -z "$running" ] || summary+="FAILED   $running"$'\n'
    printf '\n== Summary\n%s' "$summary" >&2
}
trap finish EXIT

# Some toolchains come without these two; the tests still say what they can, and the gap is told.
tool() {
    if cargo "$1" --version >/dev/null 2>&1; then
        step cargo "$@"
    else
        skip "cargo $* (not installed)"
    fi
}

tool fmt --all --check
tool clippy --locked --workspace --all-targets -- -D warnings
step cargo test --locked --workspace --no-fail-fast

# Public programs against the binary, in a throw-away Python environment under target/: a UCI client, a reader of Parquet, requests
# generated from the interface's description, and what OpenBench's worker asks.
client() {
    local venv=target/venv
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || {
        apt-get install -y -qq python3-venv >&2 && python3 -m venv "$venv"
    }
    "$venv/bin/pip" install --quiet --disable-pip-version-check chess==1.11.2 duckdb==2.0.0 schemathesis==4.32.5
    "$venv/bin/python" runs/uci_client.py target/debug/tabiya
    "$venv/bin/python" runs/duckdb_check.py target/debug/tabiya
    "$venv/bin/python" runs/openbench_check.py target/debug/tabiya
    "$venv/bin/python" runs/interface_check.py target/debug/tabiya
}
step client

# The page in Debian's Chromium; Playwright's own browsers are not downloaded.
page() {
    command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; } >&2
    cd web
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --silent
    npm run --silent check
    CHROMIUM="$(command -v chromium)" npx playwright test
}
if node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
    step page
else
    skip "page (Node.js 20.19 or newer is not installed)"
fi
