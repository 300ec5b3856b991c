"""Cleaning methods: functions of a Document that say which segments to keep.

A method knows neither where a page came from nor where it goes. `base.py` says what a method is;
`registry.py` has the table of methods, `choice.py` loads the models that they need.
"""
