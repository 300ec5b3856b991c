"""Runs: settings, jobs, worker processes, outputs, the manifest, and the counts."""
