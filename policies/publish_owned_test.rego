package orb.policies.publish_owned_test

import data.orb.policies.publish_owned

asked(scopes, publish) := {
	"subject": {"tenant": "acme", "scopes": scopes},
	"action": {"name": "publish"},
	"context": {"publish": publish},
}

test_the_owner_may_publish if {
	publish_owned.allow with input as asked(["marketplace:publish"], {"namespace_tenant": "acme"})
}

test_nobody_else_may if {
	not publish_owned.allow with input as asked(["*"], {"namespace_tenant": "other"})
	not publish_owned.allow with input as asked(["*"], {})
	not publish_owned.allow with input as asked(["orbs:execute"], {"namespace_tenant": "acme"})
}
