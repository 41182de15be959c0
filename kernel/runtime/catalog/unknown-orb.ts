import { holds, type Principal } from '../../access.ts';
import { PlatformError } from '../../error.ts';
import { similarTo } from '../../tools/text/similar.ts';
import type { Catalog } from './catalog.ts';
import { admitsOrb, type Orbiset } from './orbiset.ts';

/** Makes the 404 of an Orb that is not there; `known`: ids that the caller may see. `where`: words behind the id. */
export function unknownOrb(orbId: string, known: Iterable<string>, where = ''): PlatformError {
  const ids = [...known];
  // A bare name, where a version is needed.
  const meant = ids.findLast((id) => id.startsWith(`${orbId}@`)) ?? similarTo(orbId, ids);
  const way = meant === undefined ? 'GET /orbs lists them' : `did you mean ${meant}?`;
  return new PlatformError('orb_not_found', `there is no Orb ${orbId}${where}; ${way}`);
}

/** Lists the ids of the Orbisets of a caller that admit an Orb. */
export function orbisetsWith(
  orbId: string,
  { scopes, tenant }: Principal,
  { orbisets }: Pick<Catalog, 'orbisets'>,
): readonly string[] {
  const own = [...orbisets.values()].filter((one) => one.tenant === tenant || scopes.includes('*'));
  return own.filter((one) => admitsOrb(one, orbId)).map(({ id }) => id);
}

const mostNamed = 5;

/**
 * Makes the 404 of an Orb that an Orbiset of the caller does not hold. If the Orb exists and the caller may see it, the
 * answer names the caller's Orbisets that hold it, and says how to add it.
 */
export function unknownOrbIn(orbiset: Orbiset, orbId: string, caller: Principal, catalog: Catalog): PlatformError {
  const { orbs } = catalog;
  const { scopes } = caller;
  const where = ` in the Orbiset ${orbiset.id}`;
  const mayRun = (id: string): boolean => holds(scopes, 'orbs:execute', id);
  const holding = orbisetsWith(orbId, caller, catalog);
  const isSeen = mayRun(orbId) && (holding.length > 0 || holds(scopes, 'orbs:read'));
  if (!orbs.has(orbId) || !isSeen)
    return unknownOrb(
      orbId,
      [...orbs.keys()].filter((id) => admitsOrb(orbiset, id) && mayRun(id)),
      where,
    );
  const add = `add ${orbId} to \`orbs\` of ${orbiset.id} with PUT /orbisets/${orbiset.id}, which needs the scope orbisets:manage`;
  const [first] = holding;
  const more = holding.length > mostNamed ? ', …' : '';
  const use =
    first === undefined
      ? ''
      : `these Orbisets hold it: ${holding.slice(0, mostNamed).join(', ')}${more}; use one in the path, e.g. /orbisets/${first}, or `;
  return new PlatformError('orb_not_found', `the Orb ${orbId} is not${where}; ${use}${add}`);
}
