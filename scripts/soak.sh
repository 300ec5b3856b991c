#!/usr/bin/env bash
# The long tests: kills for half an hour, then hostile pages under sanitizers.
#
#     scripts/soak.sh CRAWL.warc.gz [MINUTES] [PAGES]
#
# Wants an installed ncleaner, Linux, and for the second part a compiler with AddressSanitizer. A crawl to use is
# made from any gold directory by scripts/make_warc.py, or is your own.
set -euo pipefail
cd "$(dirname "$0")/.."
crawl=${1:?usage: scripts/soak.sh CRAWL.warc.gz [MINUTES] [PAGES]}
python scripts/soak.py "$crawl" --minutes "${2:-30}"
scripts/fuzz.sh "${3:-20000}"
