"""The client of an Agent Orb Platform: runs Orbs, and verifies every receipt before it hands the outputs over."""

# A name that is imported as itself is a part of the package (PEP 484).
from ._client import Answer as Answer, AsyncList as AsyncList, AsyncOrb as AsyncOrb, AsyncReceipts as AsyncReceipts
from ._client import AsyncTools as AsyncTools, ClientOptions as ClientOptions, RequestOptions as RequestOptions
from ._error import OrbError as OrbError
from ._events import OrbEvent as OrbEvent
from ._outcome import Completed as Completed, Denied as Denied, Failed as Failed, Held as Held, Outcome as Outcome
from ._outcome import Queued as Queued, Rejected as Rejected, Unknown as Unknown, Unreachable as Unreachable
from ._outcome import Unverified as Unverified
from ._run import QueueOptions as QueueOptions, RunOptions as RunOptions
from ._stream import StreamPart as StreamPart, TextPart as TextPart, ToolCallPart as ToolCallPart
from ._sync import List as List, Orb as Orb, Receipts as Receipts, Tools as Tools
from ._tools import ToolAnswer as ToolAnswer
from ._verify import Expected as Expected, Refused as Refused, Verified as Verified, verify_receipt as verify_receipt
from ._version import VERSION as __version__
from ._webhook import RefusedWebhook as RefusedWebhook, Webhook as Webhook, WebhookKeys as WebhookKeys
from ._webhook import verify_webhook as verify_webhook
