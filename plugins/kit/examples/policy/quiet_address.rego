# METADATA
# title: quiet address
package orb.policies.quiet_address

# Every denial is a message for the caller. Named policies are asked for every action: say which one is meant.
deny contains "no run may be served for this address" if {
	input.action.name == "execute"
	input.resource.id == "notify.email@1.0.0"

	# Every recipient, however the caller wrote the list.
	some recipient in input.context.parsed.to
	recipient.address == "nobody@example.com"
}
