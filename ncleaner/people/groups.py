"""The groups of options in the help of commands that have more than ten."""

from __future__ import annotations

__all__ = ["GROUPS"]

_KEPT = "--headline --no-comments --no-captions --news --notices"
_METHOD = "--method --set --model --sites --threshold --precision --recall"
_NGRAMS = "--order --q --alphabet --alphabet-size --cased --scheme --statistic"
_RUN = "--jobs --again --log-json --quiet --help"

# {command: {title: names of options}}; a test compares the names with those of the command
GROUPS: dict[str, dict[str, str]] = {
    "clean": {
        "Input": "--inputs-from --prefix --input-format --marker --text --encoding",
        "Output": "--output --format --compress --segments --metadata --signals --attribute --table "
        "--sentences --markdown --links --images --spans --front-matter --references --duplicates",
        "How it is decided": _METHOD,
        "What is kept": f"{_KEPT} --alt-text",
        "Limits of a page": "--max-bytes --max-nesting --max-segments --max-seconds --max-memory",
        "Run": f"--quarantine {_RUN}",
    },
    "survey": {
        "Input": "--inputs-from --prefix --input-format --encoding",
        "Output": "--output --html --json",
        "What is found": "--pages --references --duplicates --method --model",
        "Run": _RUN,
    },
    "inspect": {
        "Input": "--number --input-format --text --encoding",
        "What is shown": "--why --whole --segment --against --wrong --diff",
        "Output": "--html --json",
        "How it is decided": _METHOD,
        "What is kept": _KEPT,
        "Run": "--help",
    },
    "annotate": {
        "Pages": "--pages --encoding --output",
        "People": "--annotator --settle --agreement",
        "Where it is done": "--port --browser",
        "What helps": "--goal --every --method --model",
        "Labels of Victor": "--anno --clean",
        "Run": "--help",
    },
    "train": {
        "Pages": "--raw --clean --fence --annotations --from-crawl --pages "
        "--manifest --site-from --encoding --text",
        "Model": "--output --method --from --structure --without --threshold --learning-curve",
        "N-grams": f"{_NGRAMS} --more-clean --more-dirty",
        "What the model says of itself": "--name --language --sources --date",
        "Run": "--quiet --help",
    },
    "tune": {
        "Pages": "--raw --clean --manifest --site-from --encoding --text",
        "What is tried": f"{_NGRAMS} --method --folds",
        "Output": "--output --json",
        "Run": "--jobs --quiet --help",
    },
    "evaluate": {
        "What is measured": "--unit --ascii --raw --site-from",
        "Output": "--json --per-page --align --curve --html --worst",
        "How pages are cleaned first": f"{_METHOD} --text --encoding",
        "What is kept": _KEPT,
        "Run": "--jobs --quiet --help",
    },
    "compare": {
        "Gold standard": "--raw --clean --unwrap --limit --convention",
        "Programs": "--tool --reference --model --sites --cross-validate",
        "What is measured": "--unit --rounds --seconds",
        "Output": "--json --plot",
        "Run": "--jobs --quiet --help",
    },
}
