# METADATA
# title: Who may publish into a namespace
# description: The key needs marketplace:publish, and its tenant must own the namespace.
# custom:
#   owner: platform
#   severity: high
package orb.policies.publish_owned

allow if {
	input.action.name == "publish"
	some scope in input.subject.scopes
	scope in {"*", "marketplace:publish"}
	input.context.publish.namespace_tenant == input.subject.tenant
}
