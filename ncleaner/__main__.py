"""`python -m ncleaner`: the command, where its script is not on the path."""

from ncleaner.cli.app import main

if __name__ == "__main__":
    main()
