"""Storage of inputs and outputs: files on this machine, and URLs through fsspec."""
