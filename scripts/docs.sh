#!/usr/bin/env bash
# Builds the documentation site in build/site; a warning is an error: a link to a page that is missing, a heading out of order.
# Needs the extra `docs`, and the package installed.
set -euo pipefail
cd "$(dirname "$0")/.."
python -P -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/site
