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
