"""Reads pages from inputs: files and archives, their compression and records, in spite of damage."""
