"""The client of an Agent Orb Platform: runs Orbs, and verifies every receipt before it hands the outputs over."""

from ._client import Answer, AsyncList, AsyncOrb, AsyncReceipts, AsyncTools, ClientOptions, RequestOptions
from ._error import OrbError
from ._events import OrbEvent
from ._outcome import (
    Completed,
    Denied,
    Failed,
    Held,
    Outcome,
    Queued,
    Rejected,
    Unknown,
    Unreachable,
    Unverified,
)
from ._run import QueueOptions, RunOptions
from ._stream import StreamPart, TextPart, ToolCallPart
from ._sync import List, Orb, Receipts, Tools
from ._tools import ToolAnswer
from ._verify import Expected, Refused, Verified, verify_receipt
from ._version import VERSION as __version__
from ._webhook import RefusedWebhook, Webhook, WebhookKeys, verify_webhook

__all__ = [
    "Answer",
    "AsyncList",
    "AsyncOrb",
    "AsyncReceipts",
    "AsyncTools",
    "ClientOptions",
    "Completed",
    "Denied",
    "Expected",
    "Failed",
    "Held",
    "List",
    "Orb",
    "OrbError",
    "OrbEvent",
    "Outcome",
    "Queued",
    "QueueOptions",
    "Receipts",
    "Refused",
    "RefusedWebhook",
    "Rejected",
    "RequestOptions",
    "RunOptions",
    "StreamPart",
    "TextPart",
    "ToolAnswer",
    "ToolCallPart",
    "Tools",
    "Unknown",
    "Unreachable",
    "Unverified",
    "Verified",
    "Webhook",
    "WebhookKeys",
    "__version__",
    "verify_receipt",
    "verify_webhook",
]
