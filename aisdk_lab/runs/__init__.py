"""Runs: one request to its finish. Requests and decisions on the way down, chunks and facts on the way up."""
