import { given, PlatformError } from '../../../kernel/index.ts';
import { idempotencyKey, type ExecutionResult } from '../../runtime/contract.ts';
import type { Asking, ModelsScope } from '../scope.ts';
import type { OrbMember } from '../wire/shape.ts';
import { requireModel } from './models.ts';

/** What a door asks of the runtime. */
export interface DoorRun {
  /** The API that the caller used: `openai/chat`, `anthropic/messages`. */
  readonly door: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly asking: Asking;
}

/** What is known of a run before its end. */
export interface RunNotes {
  run_id?: string;
  provider?: string;
}

/** Runs an Orb for a caller of a door, once per Idempotency-Key. Throws the problem of a run that did not complete. */
export async function runOf(run: DoorRun, notes: RunNotes, { runtime }: ModelsScope): Promise<ExecutionResult> {
  const { door, orbiset_id, orb_id, inputs, asking } = run;
  const { principal, client_ip, traceparent, headers } = asking;
  const call = {
    ...{ orbiset_id, orb_id, inputs, principal, client_ip, traceparent, limited: asking.addHeaders },
    disclose: headers[discloseHeader] === 'true',
    channel: { kind: 'models', protocol: door },
  };
  const noted = (runId: string): void => {
    notes.run_id = runId;
    asking.noteRun(runId);
  };
  const watcher = { accepted: noted, attempt: (provider: string) => void (notes.provider = provider) };
  const key = idempotencyKey(headers['idempotency-key']);
  requireModel(String(inputs['model']), { principal, orbiset_id, orb_id }, { runtime });
  try {
    const { answer, replayed } = await runtime.execute({ ...call, watcher, abandoned: () => asking.gone }, key);
    noted(answer.run_id);
    if (replayed) asking.addHeaders({ 'Idempotent-Replayed': 'true' });
    return answer;
  } catch (error) {
    // A run that people must approve waits for them in the queue.
    if (!mustWait(error)) throw error;
    const queued = { ...call, admitted: true as const, entered: noted, left: asking.disconnected };
    return (await runtime.queued.run(queued, key)).answer;
  }
}

/** Header by which a caller asks for what opens the commitments of the receipt. */
export const discloseHeader = 'x-orb-disclose';

// Nothing was recorded: the run has no receipt yet.
function mustWait(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'approval_required' && error.extensions.receipt === undefined;
}

/** Names the run of an answer and its receipt. */
export function orbMember({ run_id, receipt, opening }: ExecutionResult): OrbMember {
  return { run_id, receipt_id: receipt.receipt_id, ...given({ opening }) };
}

/** Makes the headers that each answer of a run has. */
export function runHeaders({ request_id }: Asking, { run_id, provider }: RunNotes): Readonly<Record<string, string>> {
  return { 'request-id': request_id, ...given({ 'x-orb-run-id': run_id, 'x-orb-provider': provider }) };
}
