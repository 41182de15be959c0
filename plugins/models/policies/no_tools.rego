# METADATA
# title: Models get no tools
# description: >-
#   An example that is not in force: copy it with its tests into the folder of policies, and change the list. A model
#   that has no tools cannot make its client do anything.
# custom:
#   owner: platform
#   severity: medium
package orb.policies.no_tools

# Tools that models may have all the same.
allowed := set()

deny contains $"models may not have the tool {tool}" if {
	input.action.name == "execute"
	some tool in input.context.llm.tools
	not tool in allowed
}
