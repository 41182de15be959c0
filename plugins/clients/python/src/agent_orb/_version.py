"""Version of the client."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("agent-orb")
except PackageNotFoundError:
    VERSION = "0.0.0"
