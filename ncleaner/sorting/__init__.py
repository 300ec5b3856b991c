"""Regroups the records of archives into one archive per host or registered domain."""
