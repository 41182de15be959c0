package orb.policies.daily_ceiling_test

import data.orb.policies.daily_ceiling

asked(spent, nanos, orbiset) := {
	"action": {"name": "execute"},
	"context": {
		"orbiset": {"id": orbiset},
		"llm": {"ask": {"tokens": 1, "nanos": nanos}},
		"spend": {"day": {"spent": spent, "assumed": 10, "reserved": 20, "limit": 50000000000}},
	},
}

test_a_call_below_the_ceiling_is_not_denied if {
	count(daily_ceiling.deny) == 0 with input as asked(999999000, 970, "default")
}

test_what_is_assumed_and_reserved_counts if {
	count(daily_ceiling.deny) == 1 with input as asked(999999000, 971, "default")
}

test_an_orbiset_may_have_its_own_ceiling if {
	count(daily_ceiling.deny) == 0 with input as asked(999999000, 971, "research")
}

test_a_call_of_unknown_cost_is_denied if {
	unknown := json.remove(asked(0, 1, "default"), ["context/llm/ask"])
	count(daily_ceiling.deny) == 1 with input as unknown
}

test_a_call_without_counts_is_denied if {
	uncounted := json.remove(asked(0, 1, "default"), ["context/spend"])
	count(daily_ceiling.deny) == 1 with input as uncounted
}

test_other_runs_are_not_concerned if {
	count(daily_ceiling.deny) == 0 with input as {"action": {"name": "execute"}, "context": {"orbiset": {"id": "default"}}}
}
