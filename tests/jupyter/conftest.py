"""The fixtures of pytest-jupyter for this folder only: other tests need no Jupyter server."""

from __future__ import annotations

from pytest_jupyter.jupyter_core import (  # noqa: F401  # fixtures and hooks
    jp_asyncio_loop,
    jp_config_dir,
    jp_data_dir,
    jp_env_config_path,
    jp_env_jupyter_path,
    jp_environ,
    jp_home_dir,
    jp_runtime_dir,
    jp_system_config_path,
    jp_system_jupyter_path,
    pytest_pyfunc_call,
)
from pytest_jupyter.jupyter_server import *  # noqa: F403  # its fixtures need each other
