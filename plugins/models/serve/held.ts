import { PlatformError, type RequestInfo } from '../../../kernel/index.ts';
import type { ApprovalState, ExecuteCall, ExecutionResult, OpenRunView, Runtime } from '../../runtime/contract.ts';

/** A call of a door that people may have to approve. */
export interface HeldCall {
  readonly door: string;
  readonly call: Omit<ExecuteCall, 'abandoned' | 'repeat' | 'stream' | 'watcher'>;
  readonly key: string | undefined;
  readonly asking: Pick<RequestInfo, 'disconnected' | 'onDelivered'>;
  /** Told the run as soon as it is known. */
  readonly noted: (runId: string) => void;
}

/**
 * Runs a call that people must approve, by way of the queue: no door holds an answer until they have decided. While the
 * run is held it throws 403 `approval_required`, which names the approval. The same call joins the run, and gets its
 * answer once; a call with a key, as often as it asks.
 */
export async function heldRun(
  { asking, call, door, key, noted }: HeldCall,
  { findOpenRun, queued }: Pick<Runtime, 'findOpenRun' | 'queued'>,
): Promise<ExecutionResult> {
  const ends = new AbortController();
  let why: unknown;
  const look = async (runId: string): Promise<void> => {
    const run = await findOpenRun(runId);
    why = run && refusalOf(run);
    if (why !== undefined) ends.abort();
  };
  const run = {
    ...{ ...call, admitted: true as const, left: AbortSignal.any([asking.disconnected, ends.signal]) },
    repeat: { name: door, carrier: () => asking.onDelivered, always: true as const },
    entered(runId: string): void {
      noted(runId);
      look(runId).catch((error: unknown) => {
        why = error;
        ends.abort();
      });
    },
  };
  try {
    return (await queued.run(run, key)).answer;
  } catch (error) {
    throw why ?? error;
  }
}

/** Finds why a call is refused whose key belongs to a run that people must approve; undefined: it does not. */
export async function refusalOfKey(
  error: unknown,
  { findOpenRun }: Pick<Runtime, 'findOpenRun'>,
): Promise<PlatformError | undefined> {
  if (!(error instanceof PlatformError) || error.code !== 'idempotency_in_progress') return undefined;
  const { run_id } = error.extensions;
  const run = run_id === undefined ? undefined : await findOpenRun(run_id);
  return run && refusalOf(run);
}

function refusalOf({ run_id, approval }: OpenRunView): PlatformError | undefined {
  return (
    approval && new PlatformError('approval_required', detailOf(approval), { run_id, reasons: [reasonOf(approval)] })
  );
}

const detailOf = ({ asked, expires_at, id, url }: ApprovalState): string =>
  `a member of ${asked.join(', ')} must approve this call first, until ${expires_at}: ${id} at ${url}; send the same call again after that`;

const reasonOf = ({ id: approval_id, ...rest }: ApprovalState): object => ({
  ...{ code: 'approval_required', approval_id },
  ...rest,
});
