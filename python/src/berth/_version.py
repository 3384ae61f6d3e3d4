"""The version of this package, which is the server's in the form of PEP 440."""

__version__ = "0.1.0.dev0"
