import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shippedTexts } from '../../../kernel/index.ts';
import { checkName, example, type Project } from './project.ts';

/** Makes a policy that denies, with its test. */
export function policyProject(name: string): Project {
  // The routes of policies use three of the names themselves.
  checkName(name, /^(?!(?:format|test|validate)$)[a-z][a-z0-9_]{0,94}(?<!_test)$/, 'no_bulk_mail');
  const words = { 'quiet address': name.replaceAll('_', ' '), quiet_address: name };
  return {
    files: {
      [`policies/${name}.rego`]: example('policy/quiet_address.rego', words),
      [`policies/${name}_test.rego`]: example('policy/quiet_address_test.rego', words),
    },
    next: [`orb policy check policies/${name}.rego`, 'once saved, it takes effect within three seconds'].join('\n'),
  };
}

/**
 * Copies the shipped policies into a home without `policies/`: a folder with only a denying file would allow nothing.
 * Returns whether it copied them.
 */
export function shipPolicies(home: string): boolean {
  const folder = join(home, 'policies');
  if (existsSync(folder)) return false;
  const files = shippedTexts('policies');
  // The folder is moved in as a whole, so that a server that watches it never sees half of it.
  const temporary = mkdtempSync(join(home, '.policies-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(temporary, path)), { recursive: true });
      writeFileSync(join(temporary, path), text);
    }
    renameSync(join(temporary, 'policies'), folder);
    rmSync(temporary, { recursive: true });
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return true;
}
