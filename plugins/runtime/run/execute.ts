import type { Catalog } from '../catalog/catalog.ts';
import type { OrbManifest } from '../catalog/orb.ts';
import type { RunRequest } from '../dispatch/run-record.ts';
import type { IdempotencyKeys, MaybeReplayed } from '../journal/keys.ts';
import type { RepeatGuard } from '../journal/repeats.ts';
import type { Execution } from './execution.ts';
import type { ExecutionResult } from '../facts/facts.ts';
import { given } from '../../../kernel/index.ts';
import type { Repeat } from '../journal/repeat.ts';

/** The request of a caller, from any protocol. */
export interface ExecuteCall extends Omit<RunRequest, 'claim'> {
  /** Without a key: guards the call against its blind repetition, if its effect cannot be repeated. */
  readonly repeat?: Repeat | undefined;
}

/**
 * Runs an Orb, once per Idempotency-Key (checked by `idempotencyKey`) as `POST /orbisets/{id}/execute` does: the same
 * key is the same run by any protocol. Throws the problem of a run that did not complete, also when it is the stored one
 * of an earlier request.
 */
export type Execute = (call: ExecuteCall, key?: string) => Promise<MaybeReplayed<ExecutionResult>>;

/** The parts of the one way by which callers run Orbs. */
export interface ExecuteOptions {
  readonly execution: Execution;
  readonly keys: IdempotencyKeys;
  readonly repeats: RepeatGuard;
  readonly catalog: Catalog;
}

/** Creates the one way by which callers run Orbs. */
export function createExecute({ execution, keys, repeats, catalog }: ExecuteOptions): Execute {
  return async (request, key) => {
    if (key === undefined && request.repeat === undefined)
      return { answer: await execution.run(request), replayed: false };
    const { repeat, ...call } = request;
    const { principal, orbiset_id, orb_id, inputs, delivery, timeout_ms, disclose, sandbox, abandoned, pinned } = call;
    if (repeat !== undefined) {
      const repeated = { principal: principal.id, orbiset_id, inputs, abandoned };
      if (key === undefined && isGuarded(call, catalog))
        return repeats.run(repeated, repeat, (claim, gone) => execution.run({ ...call, claim, abandoned: gone }));
      repeats.noteCall(repeated, repeat.name);
    }
    if (key === undefined) return { answer: await execution.run(call), replayed: false };
    const name = { principal: principal.id, method: 'POST', path: `/orbisets/${orbiset_id}/execute`, key };
    const provider = pinned?.().provider.name;
    const body = given({ orb_id, inputs, delivery, timeout_ms, disclose, sandbox, provider });
    return keys.told(name, body, (claim) => execution.run({ ...call, claim }));
  };
}

/** Says whether calls of an Orb are guarded against their repetition, unless an Orbiset has no guard. */
export function mayBeGuarded({ effect, repeat_guard }: Pick<OrbManifest, 'effect' | 'repeat_guard'>): boolean {
  return repeat_guard !== false && (effect === 'reversible' || effect === 'irreversible');
}

/**
 * Says whether a call is guarded against its blind repetition. To repeat a run of any other effect does no harm; a guard
 * would take `set 1, set 2, set 1` for one run. An Orb or its Orbiset may be without the guard.
 */
export function isGuarded(
  { orb_id, orbiset_id, sandbox }: Pick<RunRequest, 'orb_id' | 'orbiset_id' | 'sandbox'>,
  { orbs, orbisets }: Catalog,
): boolean {
  const manifest = orbs.get(orb_id)?.manifest;
  if (sandbox === true || manifest === undefined || !mayBeGuarded(manifest)) return false;
  return orbisets.get(orbiset_id)?.repeat_guard !== false;
}
