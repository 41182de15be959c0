import type { Log, Sealer } from '../../../../kernel/index.ts';
import type { ValueToKeep } from '../../log/rows/values.ts';
import type { ServedReads } from '../../store.ts';
import type { RunFact, RunFailure } from '../../../runtime/contract.ts';

const dayMs = 86_400_000;

type Keeping = { readonly days: number; readonly now: number };

/**
 * Makes the value that keeps why a run failed, next to its inputs and outputs and sealed like them; what erases those
 * erases it, too. Undefined: there is no reason, or none is kept.
 */
export function reasonToKeep(run: RunFact, receipt_id: string, { days, now }: Keeping): ValueToKeep | undefined {
  const { failure, run_id } = run;
  if (failure === undefined || days <= 0) return undefined;
  const opening = Buffer.from(JSON.stringify({ run_id, ...failure }));
  return { receipt_id, name: 'reason', opening, erase_at: now + days * dayMs };
}

/** Makes what finds the kept reason of a run; undefined: none is kept, or it is erased. */
export function reasonFinder(
  reads: Pick<ServedReads, 'keptValue'>,
  sealer: Pick<Sealer, 'open'>,
  log: Pick<Log, 'warn'>,
) {
  return async (run: { readonly run_id: string; readonly receipt_id: string }): Promise<RunFailure | undefined> => {
    const sealed = await reads.keptValue(run.receipt_id, 'reason');
    if (sealed === undefined) return undefined;
    try {
      const text = Buffer.from(sealer.open('inputs', sealed)).toString();
      const { run_id, ...failure } = JSON.parse(text) as RunFailure & { readonly run_id: string };
      // A value that was put in the place of another one is of another run.
      if (run_id === run.run_id) return failure;
    } catch {
      // Said below.
    }
    log.warn({ run_id: run.run_id }, 'the kept reason of a failed run cannot be decrypted; the answer omits it');
    return undefined;
  };
}
