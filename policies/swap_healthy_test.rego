package orb.policies.swap_healthy_test

import data.orb.policies.swap_healthy

asked(scopes, health) := {
	"subject": {"scopes": scopes},
	"action": {"name": "swap"},
	"resource": {"id": "notify.email@1.0.0"},
	"context": {"swap": {"to": "smtp-main", "to_health": health}},
}

test_a_healthy_provider_is_allowed if {
	swap_healthy.allow with input as asked(["providers:swap"], "up")
	count(swap_healthy.deny) == 0 with input as asked(["providers:swap"], "up")
}

test_the_scope_is_needed if {
	not swap_healthy.allow with input as asked(["orbs:execute"], "up")
}

test_a_provider_that_is_down_is_denied if {
	count(swap_healthy.deny) == 1 with input as asked(["*"], "down")
}

test_a_listed_orb_is_swapped_to_its_list_alone if {
	count(swap_healthy.deny) == 1 with input as asked(["*"], "up")
		with data.lists.swap_targets as {"notify.email@1.0.0": ["outbox"]}
	count(swap_healthy.deny) == 0 with input as asked(["*"], "up")
		with data.lists.swap_targets as {"notify.email@1.0.0": ["smtp-main"]}
}
