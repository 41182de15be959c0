# METADATA
# title: No secrets in prompts
# description: >-
#   An example that is not in force: copy it with its tests into the folder of policies, and change the rules. It reads
#   what the detectors found in all texts of a call, whatever their length; they see no secret that they do not know.
# custom:
#   owner: platform
#   severity: high
package orb.policies.prompt_secrets

# What no provider may see.
forbidden := {"platform_key", "private_key", "aws_key"}

# Providers that run on our own machines, which may see the rest.
own := set()

deny contains $"the prompt holds what no model may see: {kind}" if {
	input.action.name == "execute"
	some kind in forbidden
	input.context.llm.findings[kind] > 0
}

deny contains $"the prompt holds {kind}, and {one.provider} is not one of our own machines" if {
	input.action.name == "execute"
	some kind in ["jwt", "card_number"]
	input.context.llm.findings[kind] > 0
	some one in input.context.llm.candidates
	not one.provider in own
}
