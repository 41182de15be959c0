# METADATA
# title: What agents may do, and when
# description: >-
#   An example that is not in force: copy it with its tests into the folder of policies, and change the lists. It limits
#   runs that come over MCP. The name of a client is what the client says it is; it keeps honest clients apart, and
#   stops nobody who lies.
# custom:
#   owner: platform
#   severity: high
package orb.policies.agents

# Clients that may call; an empty list allows all.
clients := set()

# Hours in UTC, from the first to before the last, in which agents may do what cannot be taken back.
hours := {"from": "08", "to": "18"}

deny contains $"agents may do what cannot be taken back only from {hours.from} to {hours.to} o'clock UTC" if {
	over_mcp
	input.resource.effect == "irreversible"
	not working_hour
}

deny contains $"the client {client} is not on the list of clients" if {
	over_mcp
	count(clients) > 0
	not client in clients
}

over_mcp if {
	input.action.name == "execute"
	input.context.channel.kind == "mcp"
}

default client := "without a name"

client := input.context.channel.client.name

working_hour if {
	hour := substring(input.context.time, 11, 2)
	hour >= hours.from
	hour < hours.to
}
