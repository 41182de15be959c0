package orb.policies.outside_mail_test

import data.orb.policies.outside_mail

mail(to, cc) := {
	"action": {"name": "execute"},
	"resource": {"capability": "email"},
	"context": {"parsed": {"to": mailboxes(to), "cc": mailboxes(cc), "bcc": []}},
}

mailboxes(domains) := [{"address": $"ada@{domain}", "domain": domain} | some domain in domains]

codes := {ask.code | some ask in outside_mail.ask}

test_our_own_domains_need_no_approval if {
	codes == set() with input as mail(["example.com"], ["example.org"])
}

test_another_domain_needs_one if {
	codes == {"mail_outside"} with input as mail(["example.net"], [])
	codes == {"mail_outside"} with input as mail(["example.com"], ["example.net"])
}

test_all_of_them_are_one_question if {
	some ask in outside_mail.ask with input as mail(["b.example", "example.com"], ["a.example"])
	ask.message == "the mail goes to a.example, b.example"
}

test_addresses_that_cannot_be_read_need_one if {
	codes == {"mail_unread"} with input as object.remove(mail([], []), ["context"])
}

test_another_capability_needs_none if {
	codes == set() with input as object.union(mail(["example.net"], []), {"resource": {"capability": "echo"}})
	codes == set() with input as object.union(mail(["example.net"], []), {"action": {"name": "swap"}})
}
