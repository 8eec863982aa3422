"""The in-kernel server: agents behind HTTP, loopback only, with a token. (Loads nothing: the Jupyter server reads a note of ours.)"""
