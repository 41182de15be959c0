"""Runs a program and kills it when its call was answered, before it can record that: kill_after_call.py PROGRAM ARGS."""

import os
import runpy
import signal
import sys
from typing import Any

from agent_orb import AsyncOrb

run = AsyncOrb.run


async def run_and_die(*args: Any, **options: Any) -> Any:
    outcome = await run(*args, **options)
    os.write(1, f"called: {outcome.kind}\n".encode())
    os.kill(os.getpid(), signal.SIGKILL)
    return outcome


AsyncOrb.run = run_and_die  # type: ignore[method-assign]
sys.argv = sys.argv[1:]
sys.path[0] = os.getcwd()
runpy.run_path(sys.argv[0], run_name="__main__")
