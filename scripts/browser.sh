#!/usr/bin/env bash
# Installs Chromium for the browser tests of `annotate`, where apt can; says so where it cannot. The tests are skipped
# without a browser. NCLEANER_BROWSER names one that is elsewhere.
set -euo pipefail
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" > /dev/null; then
        echo "there is a browser already: $(command -v "$name")"
        exit 0
    fi
done
if ! command -v apt-get > /dev/null || [[ $(id -u) -ne 0 ]]; then
    echo "no browser is installed: this takes apt-get and root; the browser tests are skipped"
    exit 0
fi
if ! (apt-get update -q && apt-get install -q -y --no-install-recommends chromium) > /dev/null 2>&1; then
    echo "apt-get could not install chromium; the browser tests are skipped"
fi
