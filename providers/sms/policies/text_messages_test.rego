package orb.policies.text_messages_test

import data.orb.policies.text_messages

asked(country, segments, purpose, time) := {
	"action": {"name": "execute"},
	"resource": {"capability": "sms"},
	"context": {
		"time": time,
		"inputs": {"purpose": purpose},
		"parsed": {
			"to": {"number": "+4915123456789", "country": country},
			"text": {"segments": segments, "encoding": "gsm7"},
		},
	},
}

noon := "2026-07-01T10:00:00.000Z"

# 20:30 in Berlin, 18:30 UTC.
evening := "2026-07-01T18:30:00.000Z"

test_a_short_message_to_a_listed_country_is_not_denied if {
	count(text_messages.deny) == 0 with input as asked("DE", 2, "transactional", noon)
	count(text_messages.deny) == 0 with input as asked("AT", 1, "otp", evening)
}

test_other_countries_and_numbers_of_none_are_denied if {
	count(text_messages.deny) == 1 with input as asked("CH", 1, "otp", noon)
	count(text_messages.deny) == 1 with input as json.remove(asked("DE", 1, "otp", noon), ["context/parsed/to/country"])
}

test_long_messages_are_denied if {
	text_messages.deny == {"the text needs more than 2 segments"} with input as asked("DE", 3, "otp", noon)
}

test_promotional_messages_wait_for_the_day_of_the_recipient if {
	count(text_messages.deny) == 0 with input as asked("DE", 1, "promotional", noon)
	text_messages.deny == {"promotional messages are sent by day only"} with input as asked("DE", 1, "promotional", evening)
	count(text_messages.deny) == 1 with input as asked("DE", 1, "promotional", "2026-07-01T06:59:00.000Z")
	count(text_messages.deny) == 0 with input as asked("DE", 1, "promotional", "2026-07-01T07:00:00.000Z")
}

test_inputs_that_no_provider_gets_are_not_concerned if {
	count(text_messages.deny) == 0 with input as json.remove(asked("CH", 9, "otp", noon), ["context/parsed"])
}

test_other_runs_are_not_concerned if {
	count(text_messages.deny) == 0 with input as {"action": {"name": "execute"}, "resource": {"capability": "email"}, "context": {}}
}
