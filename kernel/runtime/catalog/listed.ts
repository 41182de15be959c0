import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../boot/config.ts';

/**
 * Makes the rule of the lists of Orbs: one that ships with the program is listed while a provider offers its capability,
 * because every run of it would fail; any other one is always listed.
 */
export function listingRule(home: string, isServed: (orbId: string) => boolean): (orbId: string) => boolean {
  const own = home === packageDir ? new Set<string>() : idsIn(home);
  const shipped = new Set([...idsIn(packageDir)].filter((id) => !own.has(id)));
  return (orbId) => !shipped.has(orbId) || isServed(orbId);
}

function idsIn(folder: string): ReadonlySet<string> {
  const orbs = join(folder, 'data/orbs');
  const files = existsSync(orbs) ? readdirSync(orbs) : [];
  return new Set(files.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length)));
}
