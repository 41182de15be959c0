import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { program, digestOf } from '../../../kernel/index.ts';

/**
 * Makes the rule of the lists of Orbs: one that ships with the program is listed while a provider offers its capability,
 * because every run of it would fail; any other one is always listed.
 */
export function listingRule(home: string, isServed: (orbId: string) => boolean): (orbId: string) => boolean {
  const shipped = shippedIn(home);
  return (orbId) => !shipped.has(orbId) || isServed(orbId);
}

// Ids of the Orbs that ship and that the operator has neither put into the home nor changed.
function shippedIn(home: string): ReadonlySet<string> {
  const orbs = join(home, 'data/orbs');
  const own = new Set(existsSync(orbs) ? readdirSync(orbs) : []);
  const isHome = program.isHome(home);
  const left = [...program.shipped('data')].flatMap(([path, digest]) => {
    const name = /^orbs\/([^/]+\.json)$/.exec(path)?.[1];
    if (name === undefined || (isHome ? digestOf(join(orbs, name)) !== digest : own.has(name))) return [];
    return [name.slice(0, -'.json'.length)];
  });
  return new Set(left);
}
