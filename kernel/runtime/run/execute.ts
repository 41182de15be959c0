import { given } from '../../tools/given.ts';
import type { RunRequest } from '../dispatch/run-record.ts';
import type { IdempotencyKeys, MaybeReplayed } from '../journal/keys.ts';
import type { Execution, ExecutionResult } from './execution.ts';

/** What a caller asks for, by whatever protocol. */
export type ExecuteCall = Omit<RunRequest, 'claim'>;

/**
 * Runs an Orb, once per Idempotency-Key (checked by `idempotencyKey`) as `POST /orbisets/{id}/execute` does: the same
 * key is the same run by any protocol. Throws the problem of a run that did not complete, also when it is the stored one
 * of an earlier request.
 */
export type Execute = (call: ExecuteCall, key?: string) => Promise<MaybeReplayed<ExecutionResult>>;

/** Creates the one way by which callers run Orbs. */
export function createExecute(execution: Execution, keys: IdempotencyKeys): Execute {
  return async (request, key) => {
    if (key === undefined) return { answer: await execution.run(request), replayed: false };
    const { principal, orbiset_id, orb_id, inputs, delivery, timeout_ms, disclose } = request;
    const name = { principal: principal.id, method: 'POST', path: `/orbisets/${orbiset_id}/execute`, key };
    const body = given({ orb_id, inputs, delivery, timeout_ms, disclose });
    return keys.told(name, body, (claim) => execution.run({ ...request, claim }));
  };
}
