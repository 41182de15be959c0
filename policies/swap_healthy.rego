# METADATA
# title: Which provider an Orb may be swapped to
# description: >-
#   The key needs providers:swap, and the new provider must not be known to be down. An Orb that data.json lists under
#   swap_targets may be swapped to those providers alone.
# custom:
#   owner: platform
#   severity: high
package orb.policies.swap_healthy

allow if {
	input.action.name == "swap"
	some scope in input.subject.scopes
	scope in {"*", "providers:swap"}
}

deny contains $"the provider {input.context.swap.to} is down" if {
	input.action.name == "swap"
	input.context.swap.to_health == "down"
}

deny contains $"the provider {input.context.swap.to} is not on the list for {input.resource.id}" if {
	input.action.name == "swap"
	listed := data.lists.swap_targets[input.resource.id]
	not input.context.swap.to in listed
}
