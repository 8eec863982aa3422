"""The laboratory for agent streams, in a notebook. Public names are loaded on first use; see the README."""

from aisdk_lab._version import __version__

__all__ = ["__version__"]
