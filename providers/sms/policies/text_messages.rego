# METADATA
# title: Where, how long and when text messages may be sent
# description: >-
#   An example that is not in force: copy it with its tests into the folder of policies, and change the countries. Text
#   messages go to the listed countries alone and have at most two segments. Promotional ones are sent by day, in the
#   time zone of the recipient's country.
# custom:
#   owner: platform
#   severity: high
package orb.policies.text_messages

# Countries that may get messages, and the hours at which promotional ones may be sent: `from` is the first one, `until`
# the first one after the last.
countries := {
	"AT": {"zone": "Europe/Vienna", "from": 9, "until": 20},
	"DE": {"zone": "Europe/Berlin", "from": 9, "until": 20},
}

most_segments := 2

# Inputs that cannot be parsed have no `parsed`. They are sent to no provider, and their callers are told why.
is_message if {
	input.action.name == "execute"
	input.resource.capability == "sms"
	input.context.parsed
}

# A number of no country has no member `country`. A rule of its own says so: `not countries[input…]` would hold for no
# such number.
is_listed if countries[input.context.parsed.to.country]

deny contains "text messages are sent to numbers of the listed countries only" if {
	is_message
	not is_listed
}

deny contains $"the text needs more than {most_segments} segments" if {
	is_message
	input.context.parsed.text.segments > most_segments
}

deny contains "promotional messages are sent by day only" if {
	is_message
	input.context.inputs.purpose == "promotional"
	not by_day
}

by_day if {
	hours := countries[input.context.parsed.to.country]
	[hour, _, _] := time.clock([time.parse_rfc3339_ns(input.context.time), hours.zone])
	hour >= hours.from
	hour < hours.until
}
