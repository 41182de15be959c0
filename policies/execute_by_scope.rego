# METADATA
# title: Who may execute which Orb
# description: >-
#   The key needs a scope that covers the Orb. An Orbiset that data.json lists may run only the Orbs of its list, and
#   when data.json lists providers, a run may be served by those alone.
# custom:
#   owner: platform
#   severity: high
package orb.policies.execute_by_scope

allow if {
	input.action.name == "execute"
	some scope in input.subject.scopes
	covers(scope, input.resource.id)
}

deny contains $"the orbiset {input.context.orbiset.id} does not list {input.resource.id}" if {
	input.action.name == "execute"
	listed := data.lists.orbisets[input.context.orbiset.id]
	not matches_any(listed, input.resource.id)
}

# The whole order counts: no failover may use what the list does not name.
deny contains $"the provider {provider.name} is not on the list of providers" if {
	input.action.name == "execute"
	count(data.lists.providers) > 0
	some provider in input.context.providers
	not provider.name in data.lists.providers
}

covers("*", _)

covers("orbs:execute", _)

covers(scope, orb_id) if {
	startswith(scope, "orbs:execute:")
	matches(trim_prefix(scope, "orbs:execute:"), orb_id)
}

matches_any(patterns, orb_id) if {
	some pattern in patterns
	matches(pattern, orb_id)
}

matches(pattern, orb_id) if pattern == orb_id

# `notify.*` covers every Orb of the namespace and of those below it.
matches(pattern, orb_id) if {
	endswith(pattern, ".*")
	startswith(orb_id, trim_suffix(pattern, "*"))
}
