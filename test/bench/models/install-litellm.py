"""Installs LiteLLM, its current release or the version given, into the environment that runs this, and prints its version.

Its extra `proxy` names companions that are on no index, so pip would take an older release that does without them. What
the extra names is installed one by one instead: a companion in its newest version where the wanted one is missing, and
left out, aloud, where there is none. The code of the server is in the package itself.
"""

import subprocess
import sys
from importlib.metadata import requires, version


def pip(*words: str, check: bool = True) -> bool:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
    return subprocess.run([*command, *words], check=check, capture_output=not check).returncode == 0


wanted = sys.argv[1]
pip("--upgrade", f"litellm=={wanted}" if wanted else "litellm")

from packaging.requirements import Requirement  # noqa: E402: LiteLLM brings it

named = [Requirement(line) for line in requires("litellm") or []]
extra = [one for one in named if one.marker and not one.marker.evaluate({"extra": ""})]
extra = [one for one in extra if one.marker.evaluate({"extra": "proxy"})]
companions = [one for one in extra if one.name.startswith("litellm-")]
pip(*(f"{one.name}{one.specifier}" for one in extra if one not in companions))
for one in companions:
    if pip("--no-deps", f"{one.name}{one.specifier}", check=False):
        continue
    if not pip("--no-deps", one.name, check=False):
        print(f"{one.name}{one.specifier} is on no index: left out", file=sys.stderr)
print(version("litellm"))
