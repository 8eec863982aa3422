"""Transports: how a chat reaches an agent. In process, over HTTP, or a recording."""
