"""The in-kernel server: agents behind HTTP, loopback only, with a token."""

from aisdk_lab.server.adapter import Adapter, serve

__all__ = ["Adapter", "serve"]
