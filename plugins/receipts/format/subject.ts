import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { RunPredicate, RunStatement } from './run-statement.ts';

/** Lists the subjects of a run: its inputs, and its outputs if there are any, by the digest of the commitment. */
export function subjects({ run_id: runId, facts }: Pick<RunPredicate, 'run_id' | 'facts'>): RunStatement['subject'] {
  const subject = (name: string, commitment: string) => ({
    digest: { sha256: commitment.slice('sha256:'.length) },
    name: `${runId}/${name}`,
  });
  const outputs = facts.outputs === undefined ? [] : [subject('outputs', facts.outputs.commitment)];
  return [subject('inputs', facts.inputs.commitment), ...outputs];
}

/** Names the one subject of any other kind: the id, with the digest of the facts in canonical form. */
export function subjectOfFacts(name: string, canonicalFacts: string): RunStatement['subject'] {
  return [{ digest: { sha256: bytesToHex(sha256(new TextEncoder().encode(canonicalFacts))) }, name }];
}
