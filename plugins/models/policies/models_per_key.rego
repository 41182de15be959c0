# METADATA
# title: Each key may call its own models
# description: >-
#   An example that is not in force: copy it with its tests into the folder of policies, and change the lists. It knows
#   keys by the id of their principal, which outlives them; a key that is not listed may call the models of all others.
# custom:
#   owner: platform
#   severity: high
package orb.policies.models_per_key

# Models that every key may call.
for_all := {"small"}

# Models of a principal, in addition.
of_principal := {"prn_01M8FAMKDW8EACJ6XYYH95MPC3": {"large", "reasoning"}}

# Vendors that may see our texts, by the names of their providers; an empty list allows all.
vendors := set()

deny contains $"this key may not call the model {alias}" if {
	input.action.name == "execute"
	alias := input.context.llm.alias
	not alias in for_all
	not alias in object.get(of_principal, input.subject.id, set())
}

# A failover may reach each candidate, so each of them counts.
deny contains $"the provider {one.provider} may not serve calls of models" if {
	input.action.name == "execute"
	count(vendors) > 0
	some one in input.context.llm.candidates
	not one.provider in vendors
}
