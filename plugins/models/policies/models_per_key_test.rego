package orb.policies.models_per_key_test

import data.orb.policies.models_per_key

asked(alias, principal) := {
	"action": {"name": "execute"},
	"subject": {"id": principal},
	"context": {"llm": {
		"alias": alias,
		"candidates": [{"provider": "vendor", "model": alias}, {"provider": "local", "model": alias}],
	}},
}

owner := "prn_01M8FAMKDW8EACJ6XYYH95MPC3"

other := "prn_01M8FAMM1Q2G38RASKEJSD4XFB"

test_all_keys_may_call_what_is_for_all if {
	count(models_per_key.deny) == 0 with input as asked("small", other)
	count(models_per_key.deny) == 0 with input as asked("small", owner)
}

test_only_its_principal_may_call_what_is_its_own if {
	count(models_per_key.deny) == 0 with input as asked("large", owner)
	models_per_key.deny == {"this key may not call the model large"} with input as asked("large", other)
}

test_a_vendor_that_a_failover_may_reach_is_denied if {
	models_per_key.deny == {"the provider vendor may not serve calls of models"} with input as asked("small", other)
		with models_per_key.vendors as {"local"}
	count(models_per_key.deny) == 0 with input as asked("small", other) with models_per_key.vendors as {"local", "vendor"}
}

test_other_runs_are_not_concerned if {
	count(models_per_key.deny) == 0 with input as {"action": {"name": "execute"}, "subject": {"id": other}, "context": {}}
}
