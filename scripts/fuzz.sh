#!/usr/bin/env bash
# Hostile input against extensions that are built with sanitizers.
#
#     scripts/fuzz.sh [CASES] [SECONDS] [FINDINGS]
#
# Builds the extensions in a copy of the tree with AddressSanitizer and UndefinedBehaviorSanitizer, runs CASES
# pages made by grammar (20,000) and a quarter as many cases of every other target; then, where the Python package
# atheris and a clang are installed, lets coverage choose what to try for SECONDS in all (1,200).
# Whatever breaks a rule is kept in FINDINGS (./findings) and makes the script fail; `fuzz.run` shows it again.
# FIRST is the seed of the first case (0): another one tries other cases. CC is the compiler, PYTHON the Python,
# which has to have Cython, setuptools and what the package depends on.
set -euo pipefail
cases=${1:-20000} seconds=${2:-1200}
mkdir -p "${3:-findings}"
out=$(cd "${3:-findings}" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v "${PYTHON:-python}")
first=${FIRST:-0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runtimes=$("$python" -c 'import atheris; print(atheris.path())' 2> /dev/null || true)
clang=$(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -Vu | tail -1 || true)
export NCLEANER_SANITIZERS=address,undefined
if [[ -z ${CC:-} && -n $clang && -f $runtimes/asan_with_fuzzer.so ]]; then
    export CC=$clang NCLEANER_SANITIZERS=address,undefined,fuzzer-no-link
    preload=$runtimes/asan_with_fuzzer.so
else
    seconds=0
    export CC=${CC:-gcc}
    if "$CC" --version | grep -q clang; then
        preload=$("$CC" -print-file-name="libclang_rt.asan-$(uname -m).so")
    else
        preload="$("$CC" -print-file-name=libasan.so) $("$CC" -print-file-name=libubsan.so)"
    fi
fi

echo "== extensions with $NCLEANER_SANITIZERS, by $CC"
cd "$root"
cp -r --parents -t "$work" setup.py pyproject.toml README.md LICENSE ncleaner models scripts
cd "$work"
find ncleaner -name '*.so' -delete
LDSHARED="$CC -shared" "$python" setup.py -q build_ext --inplace -j 2 > build.log 2>&1 || { cat build.log; exit 1; }

# Python itself never frees what lives as long as it does: no look for leaks. A page that would take all the
# memory there is, is a finding, too.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:hard_rss_limit_mb=6000:handle_segv=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# a dependency that is built with sanitizers, too, may stand in front of the installed one
export TMPDIR=$work PYTHONPATH=$work:$work/scripts${PYTHONPATH:+:$PYTHONPATH} PYTHONHASHSEED=0
sanitized() { LD_PRELOAD=$preload nice -n 10 "$python" "$@"; }

sanitized -c "import ncleaner; assert ncleaner.__file__.startswith('$work'), ncleaner.__file__"

echo "== by grammar, from seed $first"
status=0
sanitized -m fuzz.run --target page --cases "$cases" --first "$first" --out "$out" || status=1
for target in raw text archive model annotations ngram; do
    sanitized -m fuzz.run --target $target --cases $((cases / 4 + 1)) --first "$first" --out "$out" || status=1
done

if ((seconds)); then
    echo "== by coverage, $seconds s"
    for target in page raw text archive model annotations ngram; do
        sanitized -m fuzz.guided $target --seconds $((seconds / 7)) --first "$first" --out "$out" > "$work/log" 2>&1 \
            || { status=1; tail -n 60 "$work/log"; }
        echo "$target: $(grep -E 'number_of_executed_units|new_units_added' "$work/log" | tr -s ' ' | paste -sd, -)"
    done
else
    echo "== not by coverage: it takes atheris, and a clang that is not set aside by CC"
fi
exit $status
