"""Bytes to Lexbor's tree, within bounds."""
