"""Directories that are sent with a job: what is in them, what is left out, how they reach the server.

The rules are those of the ``berth`` command, so that the same directory has the same snapshot either way.
"""
