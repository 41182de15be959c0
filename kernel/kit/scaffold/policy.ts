import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../config.ts';
import { checkName, type Project } from './project.ts';

/** Makes a policy that denies, with its test. */
export function policyProject(name: string): Project {
  // The routes of policies take three of the names for themselves.
  checkName(name, /^(?!(?:format|test|validate)$)[a-z][a-z0-9_]{0,94}(?<!_test)$/, 'no_bulk_mail');
  return {
    files: { [`policies/${name}.rego`]: policyText(name), [`policies/${name}_test.rego`]: testText(name) },
    next: [`orb policy check policies/${name}.rego`, 'saved, it is in force within three seconds'].join('\n'),
  };
}

/**
 * Copies the shipped policies into a home without `policies/`: a folder that holds a denying file alone would allow
 * nothing. Says whether it did.
 */
export function shipPolicies(home: string): boolean {
  const folder = join(home, 'policies');
  if (existsSync(folder)) return false;
  // The folder appears whole: a server that watches it never sees half of it.
  const temporary = mkdtempSync(join(home, '.policies-'));
  try {
    cpSync(join(packageDir, 'policies'), temporary, { recursive: true });
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return true;
}

function policyText(name: string): string {
  return `# METADATA
# title: ${name.replaceAll('_', ' ')}
package orb.policies.${name}

# Every denial is a message for the caller. Named policies are asked for every action: say which one is meant.
deny contains "no run may be served for this address" if {
	input.action.name == "execute"
	input.resource.id == "notify.email@1.0.0"
	input.context.inputs.to == "nobody@example.com"
}
`;
}

function testText(name: string): string {
  // By its whole path: a name may be a keyword, a builtin, or one of the test's own.
  const deny = `data.orb.policies.${name}.deny`;
  return `package orb.policies.${name}_test

asked(to) := {
	"action": {"name": "execute"},
	"resource": {"id": "notify.email@1.0.0"},
	"context": {"inputs": {"to": to}},
}

test_the_address_is_denied if {
	count(${deny}) == 1 with input as asked("nobody@example.com")
}

test_another_address_is_not if {
	count(${deny}) == 0 with input as asked("you@example.com")
}

test_another_action_is_not if {
	swap := object.union(asked("nobody@example.com"), {"action": {"name": "swap"}})
	count(${deny}) == 0 with input as swap
}
`;
}
