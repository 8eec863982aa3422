"""The one place that says which version this is; the build reads it."""

__version__ = "0.1.0"
