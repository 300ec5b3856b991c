"""`python -m ncleaner`, and the entry point of `ncleaner-spark`."""

import sys

from ncleaner.cli.app import main


def spark() -> None:
    """Runs `ncleaner-spark`, where PySpark is installed."""
    try:
        from ncleaner.spark.__main__ import main as clean
    except ImportError as error:
        sys.exit(f"ncleaner-spark: {error}")
    clean()


if __name__ == "__main__":
    main()
