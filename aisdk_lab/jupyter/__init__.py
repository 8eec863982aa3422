"""The way in for Jupyter: the server extension. (`import aisdk_lab.jupyter` loads nothing of Jupyter.)"""
