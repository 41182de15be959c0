package orb.policies.quiet_address_test

asked(to) := {
	"action": {"name": "execute"},
	"resource": {"id": "notify.email@1.0.0"},
	"context": {"parsed": {"to": [{"name": "", "address": to}]}},
}

test_the_address_is_denied if {
	count(data.orb.policies.quiet_address.deny) == 1 with input as asked("nobody@example.com")
}

test_another_address_is_not if {
	count(data.orb.policies.quiet_address.deny) == 0 with input as asked("you@example.com")
}

test_another_action_is_not if {
	swap := object.union(asked("nobody@example.com"), {"action": {"name": "swap"}})
	count(data.orb.policies.quiet_address.deny) == 0 with input as swap
}
