#!/usr/bin/env bash
# Which lines of Python and Cython the tests run, and whether their shares are above tests/coverage_floor.json.
#
#     scripts/coverage.sh [OPTIONS OF PYTEST]
#
# Builds the extensions with line tracing in a copy of the tree, and runs plain `pytest` there, with the slow tests that
# are marked `traced` and without those that are marked `untraced`. Processes that tests start are counted, too. The
# shares are printed, and the lines written to coverage/index.html. PYTHON is the Python, 3.11: coverage.py cannot count lines of Cython by what later ones have for
# it. It needs the extra `dev`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v "${PYTHON:-python}")
work=$(mktemp -d)
# a process that ends just now may still write what it has counted
trap 'rm -rf "$work" 2> /dev/null || rm -rf "$work"' EXIT

cd "$root"
cp -r -t "$work" setup.py pyproject.toml README.md LICENSE CONTRIBUTING.md docs bench examples models ncleaner scripts tests
cd "$work"
find ncleaner -name '*.so' -delete
NCLEANER_COVERAGE=1 "$python" setup.py -q build_ext --inplace > build.log 2>&1 || { cat build.log; exit 1; }

# Processes that tests start count lines of Python only: to find the lines of Cython takes a second in each of them.
sed -n '/^\[tool.coverage.run\]/,/^$/p' pyproject.toml | sed '/^plugins/d; /^omit/d' > processes.toml
echo "omit = ['*.pyx', '*.pxd']
data_file = '$work/.coverage'" >> processes.toml
echo "import os, sys, pytest
if __name__ == '__main__':
    os.environ['COVERAGE_PROCESS_START'] = '$work/processes.toml'
    sys.exit(pytest.main(sys.argv[1:]))" > run.py
export PYTHONPATH=$work PYTHONSAFEPATH=1
"$python" -m coverage run run.py -m '(not slow or traced) and not untraced' --hypothesis-profile=traced "$@"
"$python" -m coverage combine -q
# of processes that were killed while they wrote it
rm -f .coverage.*
"$python" -m coverage html -q -d "$root/coverage"
status=0
for kind in python:'*.py' cython:'*.pyx'; do
    floor=$("$python" -c 'import json, sys; print(json.load(open("tests/coverage_floor.json"))[sys.argv[1]])' "${kind%%:*}")
    echo "== ${kind%%:*}, at least $floor %"
    "$python" -m coverage report --include="${kind#*:}" --fail-under="$floor" || status=1
done
exit $status
