"""Uses the generated client: lists, executes, reads the receipt, fails. Prints what it got as JSON."""

import importlib
import json
import pkgutil
import sys

import agent_orb_platform_client as package
from agent_orb_platform_client import AuthenticatedClient
from agent_orb_platform_client.api.runtime import execute_orb, get_receipt, list_orbs
from agent_orb_platform_client.models import ExecuteRequest, ExecutionResult, Problem, Receipt

modules = [name for _, name, _ in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
for name in modules:
    importlib.import_module(name)

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)
orbs = list_orbs.sync(client=client)
mail = {"to": "ada@example.com", "from_address": "orb@example.com", "subject": "hello", "body": "It works."}


def execute(inputs):
    body = ExecuteRequest.from_dict({"orb_id": "notify.email@1.0.0", "inputs": inputs})
    return execute_orb.sync("default", client=client, body=body)


done, failed = execute(mail), execute({"to": "ada@example.com"})
receipt = get_receipt.sync(done.receipt.receipt_id, client=client)
assert isinstance(done, ExecutionResult) and isinstance(failed, Problem) and isinstance(receipt, Receipt)
print(
    json.dumps(
        {
            "modules": len(modules),
            "orbs": [orb.orb_id for orb in orbs.orbs],
            "status": str(done.status),
            "receipt_id": done.receipt.receipt_id,
            "verified": receipt.signature_valid,
            "same": receipt.receipt_id == done.receipt.receipt_id,
            "code": failed.code,
            "pointers": [error.pointer for error in failed.errors],
        }
    )
)
