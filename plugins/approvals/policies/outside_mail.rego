# METADATA
# title: Mail to an address outside our domains needs an approval
# description: >-
#   An example that is not in force: copy it with its tests into the folder of policies, and change the domains and the
#   group. The group must be one of plugins.approvals.config.groups in platform.json.
# custom:
#   owner: platform
#   severity: high
package orb.policies.outside_mail

# Our own domains, in lower case.
domains := {"example.com", "example.org"}

# All domains are in one message: the people who are asked get one question for each run.
ask contains {
	"code": "mail_outside",
	"message": $"the mail goes to {concat(", ", sort(outside))}",
	"approvers": "office",
} if {
	is_mail
	count(outside) > 0
}

# Without this, a mail whose addresses cannot be read would not be asked about.
ask contains {
	"code": "mail_unread",
	"message": "the addresses of the mail cannot be read",
	"approvers": "office",
} if {
	is_mail
	not input.context.parsed
}

is_mail if {
	input.action.name == "execute"
	input.resource.capability == "email"
}

outside contains mailbox.domain if {
	some field in ["to", "cc", "bcc"]
	some mailbox in input.context.parsed[field]
	not mailbox.domain in domains
}
