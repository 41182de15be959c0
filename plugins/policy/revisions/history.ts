import { given } from '../../../kernel/index.ts';
import type { PolicyReads } from '../store.ts';
import type { RevisionInForce } from '../contract.ts';
import { keptActivations } from './activations.ts';

/**
 * Lists the revisions that were active in a time, oldest first, each with the files that it had. Times RFC 3339 UTC. The
 * store keeps so many activations: of an older time there may be none.
 */
export async function* revisionsBetween(
  reads: Pick<PolicyReads, 'activations' | 'revision'>,
  from: string,
  to: string,
): AsyncGenerator<RevisionInForce> {
  const made = (await reads.activations(keptActivations)).filter(({ pending }) => !pending).reverse();
  for (const [at, { actor, at: since, digest, message }] of made.entries()) {
    const until = made[at + 1]?.at;
    if (since >= to || (until !== undefined && until <= from)) continue;
    const files = (await reads.revision(digest))?.files;
    yield { revision: digest, from: since, by: actor, ...given({ until, message, files }) };
  }
}
