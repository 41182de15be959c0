package orb.policies.no_tools_test

import data.orb.policies.no_tools

asked(tools) := {"action": {"name": "execute"}, "context": {"llm": {"tools": tools}}}

test_a_call_without_tools_is_not_denied if {
	count(no_tools.deny) == 0 with input as asked([])
	count(no_tools.deny) == 0 with input as {"action": {"name": "execute"}, "context": {}}
}

test_each_tool_that_is_not_allowed_is_named if {
	no_tools.deny == {"models may not have the tool a", "models may not have the tool b"} with input as asked(["a", "b"])
	no_tools.deny == {"models may not have the tool b"} with input as asked(["a", "b"]) with no_tools.allowed as {"a"}
}
