"""Where inputs lie and outputs go: this machine, and whatever fsspec reaches by a URL."""
