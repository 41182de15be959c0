import { PlatformError } from '../../error.ts';
import { similarTo } from '../../tools/similar.ts';

/** Makes the 404 of an Orb that is not there; `known`: ids that the caller may see. `where`: words behind the id. */
export function unknownOrb(orbId: string, known: Iterable<string>, where = ''): PlatformError {
  const ids = [...known];
  // A bare name, where a version is needed.
  const meant = ids.findLast((id) => id.startsWith(`${orbId}@`)) ?? similarTo(orbId, ids);
  const way = meant === undefined ? 'GET /orbs lists them' : `did you mean ${meant}?`;
  return new PlatformError('orb_not_found', `there is no Orb ${orbId}${where}; ${way}`);
}
