import type { PolicyHome } from './home.ts';

/** A policy that denies a text with the word secret. */
export const source = `package orb.policies.no_secrets

deny contains "no secrets" if {
	input.action.name == "execute"
	contains(input.context.inputs.text, "secret")
}
`;
/** Its tests. */
export const tests = `package no_secrets_test

import data.orb.policies.no_secrets

test_denies if {
	count(no_secrets.deny) == 1 with input as {"action": {"name": "execute"}, "context": {"inputs": {"text": "a secret"}}}
}
`;

/** Runs the echo Orb with a text that the policy denies, and answers the HTTP status. */
export async function sayASecret(home: PolicyHome): Promise<number> {
  return (await home.echo(undefined, { text: 'a secret' })).status;
}

/** Answers the digest of the revision in force. */
export async function inForce({ platform }: PolicyHome): Promise<string> {
  return (await platform.call('GET', '/policies/-/status')).body.revision as string;
}
