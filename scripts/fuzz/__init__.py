"""Hostile input for every reader of the package: made by grammar from a seed, and held to what must be true.

`pages`, `files` and `models` make cases, `mutate` breaks them, `targets` says what is done with each and
`invariants` what has to hold. `run` goes through many cases and keeps whatever breaks the rules; `guided`
does the same where atheris is installed, and lets coverage choose what to try next. `scripts/fuzz.sh` builds
the extensions with sanitizers and runs both.
"""
