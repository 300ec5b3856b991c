"""Worked examples for the help of commands. They are for the folder `examples` of a checkout; tests run them
there, in this order."""

from __future__ import annotations

__all__ = ["EXAMPLES"]

# {command: ((what it does, command line), ...)}
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("Clean a crawl; the text goes to standard output:", "ncleaner clean crawl.warc.gz > corpus.txt"),
        ("Say what is installed, and whether all of it works:", "ncleaner doctor"),
    ),
    "clean": (
        (
            "One file of JSON lines for each archive, and a manifest:",
            "ncleaner clean crawl.warc.gz -o corpus -f jsonl",
        ),
        (
            "Less boilerplate, no readers' comments, through a pipe:",
            "cat pages/lampworks-1997.html | ncleaner clean --precision --no-comments",
        ),
    ),
    "sort": (
        ("One archive for each host:", "ncleaner sort crawl.warc.gz -o sorted"),
        ("One archive for each registered domain:", "ncleaner sort crawl.warc.gz -o domains --by domain"),
    ),
    "survey": (
        (
            "Write a survey, and a page that shows the crawl:",
            "ncleaner survey crawl.warc.gz -o sites.ncs --html crawl.html",
        ),
        (
            "Use it: what is on many pages of a site is removed:",
            "ncleaner clean crawl.warc.gz --sites sites.ncs > known.txt",
        ),
    ),
    "report": (
        ("The sums, and a line for the inputs of each directory:", "ncleaner report corpus"),
        (
            "A page to show to colleagues, with samples of the text:",
            "ncleaner report corpus --html report.html",
        ),
    ),
    "dump": (
        ("What a page holds before it is cleaned:", "ncleaner dump pages/lampworks-1997.html"),
        (
            "All pages of an archive, with the alternative texts of images:",
            "ncleaner dump crawl.warc.gz --alt-text > dump.tsv",
        ),
    ),
    "inspect": (
        (
            "Why each segment of a page is kept or removed:",
            "ncleaner inspect pages/lampworks-1997.html --why",
        ),
        (
            "Where two methods differ, on the third page of a crawl:",
            "ncleaner inspect crawl.warc.gz -n 3 --diff ngram hybrid",
        ),
    ),
    "annotate": (
        ("Clean the pages of a directory by hand, in the browser:", "ncleaner annotate pages"),
        (
            "Write the labels of one page, to correct them in an editor:",
            "ncleaner annotate pages/lampworks-1997.html -o page.anno",
        ),
    ),
    "train": (
        (
            "A model from pages and their cleaned text:",
            "ncleaner train --raw pages --clean gold -o mine.ncm --language en",
        ),
        (
            "A model from raw pages alone:",
            "ncleaner train --from-crawl esperanto/crawl.warc.gz --language eo -o eo.ncm",
        ),
    ),
    "tune": (
        (
            "Try two values of n and the default q:",
            "ncleaner tune --raw pages --clean gold -n 1 -n 2 --q 0.8",
        ),
        ("Write all figures to a file:", "ncleaner tune --raw pages --clean gold -n 2 --json tuned.json"),
    ),
    "evaluate": (
        (
            "Clean pages, and compare the result with gold texts:",
            "ncleaner evaluate pages gold --method hybrid",
        ),
        ("Draw precision against recall at all thresholds:", "ncleaner evaluate pages gold --curve curve"),
    ),
    "compare": (
        (
            "Three methods on the same pages:",
            "ncleaner compare --raw pages --clean gold -t hybrid -t ngram -t bte",
        ),
        (
            "Draw accuracy against time:",
            "ncleaner compare --raw pages --clean gold -t hybrid -t bte --plot compared",
        ),
    ),
    "models": (
        ("List all models:", "ncleaner models"),
        ("What a model has learned:", "ncleaner models show el --number 5"),
    ),
    "models show": (
        ("The five strongest n-grams of the Greek model:", "ncleaner models show el --number 5"),
        ("A model of your own:", "ncleaner models show mine.ncm"),
    ),
    "models add": (
        ("Let `clean` find a model by itself:", "ncleaner models add eo.ncm"),
        ("Under another name:", "ncleaner models add mine.ncm --name english"),
    ),
    "models remove": (
        ("Delete a model that was added:", "ncleaner models remove eo"),
        ("Another one:", "ncleaner models remove english"),
    ),
    "methods": (
        ("List all methods:", "ncleaner methods"),
        ("The parameters of one, and their defaults:", "ncleaner methods kimatu"),
    ),
    "doctor": (
        ("Say what is installed, and whether all of it works:", "ncleaner doctor"),
        ("The same for programs, without measuring speed:", "ncleaner doctor --json --no-rates"),
    ),
}
