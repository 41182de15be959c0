package orb.policies.execute_by_scope_test

import data.orb.policies.execute_by_scope

asked(scopes, orb_id) := {
	"subject": {"scopes": scopes},
	"action": {"name": "execute"},
	"resource": {"id": orb_id},
	"context": {
		"orbiset": {"id": "default", "labels": {}},
		"providers": [{"name": "outbox"}, {"name": "smtp-main"}],
	},
}

test_the_scope_covers_every_orb if {
	execute_by_scope.allow with input as asked(["orbs:execute"], "notify.email@1.0.0")
	execute_by_scope.allow with input as asked(["*"], "notify.email@1.0.0")
}

test_a_narrowed_scope_covers_its_namespace_alone if {
	execute_by_scope.allow with input as asked(["orbs:execute:notify.*"], "notify.email@1.0.0")
	not execute_by_scope.allow with input as asked(["orbs:execute:notify.*"], "notifyx.email@1.0.0")
	not execute_by_scope.allow with input as asked(["orbs:execute:notify.email@1.0.0"], "notify.email@1.0.1")
}

test_another_scope_covers_nothing if {
	not execute_by_scope.allow with input as asked(["orbs:read", "orbs:execut"], "notify.email@1.0.0")
}

test_another_action_is_not_allowed_here if {
	swap := object.union(asked(["*"], "notify.email@1.0.0"), {"action": {"name": "swap"}})
	not execute_by_scope.allow with input as swap
}

test_a_listed_orbiset_runs_its_list_alone if {
	count(execute_by_scope.deny) == 1 with input as asked(["*"], "notify.email@1.0.0")
		with data.lists.orbisets as {"default": ["demo.*"]}
	count(execute_by_scope.deny) == 0 with input as asked(["*"], "demo.echo@1.0.0")
		with data.lists.orbisets as {"default": ["demo.*"]}
}

test_every_provider_of_the_order_must_be_listed if {
	count(execute_by_scope.deny) == 1 with input as asked(["*"], "notify.email@1.0.0")
		with data.lists.providers as ["smtp-main"]
	count(execute_by_scope.deny) == 0 with input as asked(["*"], "notify.email@1.0.0")
		with data.lists.providers as ["outbox", "smtp-main"]
}
