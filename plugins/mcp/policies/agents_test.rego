package orb.policies.agents_test

import data.orb.policies.agents

asked(kind, effect, time) := {
	"action": {"name": "execute"},
	"resource": {"effect": effect},
	"context": {"time": time, "channel": {"kind": kind, "client": {"name": "good-agent"}}},
}

noon := "2026-11-20T12:00:00.000Z"

night := "2026-11-20T23:30:00.000Z"

test_at_night_nothing_is_done_that_cannot_be_taken_back if {
	count(agents.deny) == 1 with input as asked("mcp", "irreversible", night)
	count(agents.deny) == 0 with input as asked("mcp", "irreversible", noon)
	count(agents.deny) == 0 with input as asked("mcp", "reversible", night)
}

test_the_hours_begin_with_the_first_and_end_before_the_last if {
	count(agents.deny) == 0 with input as asked("mcp", "irreversible", "2026-11-20T08:00:00.000Z")
	count(agents.deny) == 1 with input as asked("mcp", "irreversible", "2026-11-20T18:00:00.000Z")
}

test_people_are_not_concerned if {
	count(agents.deny) == 0 with input as asked("http", "irreversible", night)
}

test_only_listed_clients_call if {
	count(agents.deny) == 0 with input as asked("mcp", "none", noon) with agents.clients as {"good-agent"}
	count(agents.deny) == 1 with input as asked("mcp", "none", noon) with agents.clients as {"other-agent"}
}

test_a_client_without_a_name_is_not_listed if {
	nameless := {
		"action": {"name": "execute"},
		"resource": {"effect": "none"},
		"context": {"time": noon, "channel": {"kind": "mcp"}},
	}
	count(agents.deny) == 1 with input as nameless with agents.clients as {"good-agent"}
}
