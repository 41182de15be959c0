package orb.policies.prompt_secrets_test

import data.orb.policies.prompt_secrets

none := {"platform_key": 0, "private_key": 0, "aws_key": 0, "jwt": 0, "card_number": 0}

asked(found) := {
	"action": {"name": "execute"},
	"context": {"llm": {
		"candidates": [{"provider": "local", "model": "a"}, {"provider": "vendor", "model": "b"}],
		"findings": object.union(none, found),
	}},
}

test_a_prompt_without_findings_is_not_denied if {
	count(prompt_secrets.deny) == 0 with input as asked({})
}

test_keys_are_denied_wherever_they_go if {
	prompt_secrets.deny == {"the prompt holds what no model may see: aws_key"} with input as asked({"aws_key": 2})
		with prompt_secrets.own as {"local", "vendor"}
}

test_cards_stay_on_our_own_machines if {
	count(prompt_secrets.deny) == 2 with input as asked({"card_number": 1})
	prompt_secrets.deny == {"the prompt holds card_number, and vendor is not one of our own machines"} with input as asked({"card_number": 1})
		with prompt_secrets.own as {"local"}
	count(prompt_secrets.deny) == 0 with input as asked({"card_number": 1}) with prompt_secrets.own as {"local", "vendor"}
}
