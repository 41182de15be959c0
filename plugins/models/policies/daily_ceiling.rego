# METADATA
# title: A ceiling per day that depends on the caller
# description: >-
#   An example that is not in force: copy it with its tests into the folder of policies, and change the ceilings. It
#   needs a budget in nano-dollars per key and day (plugins.budgets.config.budgets), as high as the highest ceiling:
#   what is spent is counted there. Calls that begin at the same moment see the same counts, so a ceiling can be
#   exceeded by calls under way; the budget cannot.
# custom:
#   owner: platform
#   severity: high
package orb.policies.daily_ceiling

# Nano-dollars per key and day: 1000000000 is one dollar.
usual := 1000000000

of_orbiset := {"research": 20000000000}

ceiling := object.get(of_orbiset, input.context.orbiset.id, usual)

deny contains "this call could exceed what its key may spend today" if {
	input.action.name == "execute"
	day := input.context.spend.day
	((day.spent + day.assumed) + day.reserved) + input.context.llm.ask.nanos > ceiling
}

# Without these two, a call of unknown cost would not be denied.
deny contains "what the call may cost is unknown: send max_output_tokens, and call a model with a price" if {
	input.action.name == "execute"
	input.context.llm
	not input.context.llm.ask.nanos
}

deny contains "what the key has spent today is unknown: there is no budget of nano-dollars per key and day" if {
	input.action.name == "execute"
	input.context.llm
	not input.context.spend.day
}
