"""Inputs to pages: files and archives, their compression, their records, their damage."""
