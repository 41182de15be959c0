import { given, PlatformError } from '../../../kernel/index.ts';
import {
  idempotencyKey,
  type Channel,
  type ExecutionResult,
  type Metered,
  type RunStream,
  type RunWatcher,
} from '../../runtime/contract.ts';
import type { Asking, ModelsScope } from '../scope.ts';
import type { OrbMember } from '../wire/shape.ts';
import { heldRun, refusalOfKey } from './held.ts';
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

/** What is known of a run before its answer. */
export interface RunNotes {
  run_id?: string;
  provider?: string;
  /** What it costs; known once its receipt is durable. */
  metered?: Metered;
}

/**
 * Runs an Orb for a caller of a door, once per Idempotency-Key. Throws the problem of a run that did not complete. Without
 * a key the run ends when its caller leaves: nobody could get its answer.
 */
export async function runOf(
  run: DoorRun,
  notes: RunNotes,
  { runtime }: ModelsScope,
  stream?: RunStream,
): Promise<ExecutionResult> {
  const { door, orbiset_id, orb_id, inputs, asking } = run;
  const { principal, client_ip, traceparent, headers } = asking;
  const call = {
    ...{ orbiset_id, orb_id, inputs, principal, client_ip, traceparent, limited: asking.addHeaders },
    disclose: headers[discloseHeader] === 'true',
    channel: channelOf(door),
  };
  const noted = (runId: string): void => {
    notes.run_id = runId;
    asking.noteRun(runId);
  };
  const watcher: RunWatcher = {
    accepted: noted,
    attempt: (provider) => void (notes.provider = provider),
    metered: (told) => void (notes.metered = told),
  };
  const key = idempotencyKey(headers['idempotency-key']);
  requireModel(String(inputs['model']), { principal, orbiset_id, orb_id }, { runtime });
  try {
    const gone = key === undefined ? asking.disconnected : undefined;
    const watched = { ...call, watcher, stream, gone, abandoned: () => asking.gone };
    const { answer, replayed } = await runtime.execute(watched, key);
    noted(answer.run_id);
    if (replayed) asking.addHeaders({ 'Idempotent-Replayed': 'true' });
    return answer;
  } catch (error) {
    if (!mustWait(error)) throw (await refusalOfKey(error, runtime)) ?? billed(error, notes);
    return heldRun({ door, call, key, asking, noted }, runtime);
  }
}

const channels = new Map<string, Channel>();

// The same frozen object for each door: receipts write it once.
function channelOf(door: string): Channel {
  let channel = channels.get(door);
  if (channel === undefined) channels.set(door, (channel = Object.freeze({ kind: 'models', protocol: door })));
  return channel;
}

/** Header by which a caller asks for what opens the commitments of the receipt. */
export const discloseHeader = 'x-orb-disclose';

/** Header of a failure: whether a call of a provider may cost something. */
export const billedHeader = 'x-orb-billed';

function billed(error: unknown, { metered }: RunNotes): unknown {
  if (!(error instanceof PlatformError) || metered === undefined) return error;
  const { headers, ...rest } = error.extensions;
  const told = { ...rest, headers: { ...headers, [billedHeader]: metered.billed } };
  return new PlatformError(error.code, error.message, told, { cause: error.cause });
}

// Nothing was recorded: the run has no receipt yet.
function mustWait(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'approval_required' && error.extensions.receipt === undefined;
}

/** Names the run of an answer and its receipt. */
export function orbMember({ run_id, receipt, opening }: ExecutionResult, { metered }: RunNotes): OrbMember {
  return { run_id, receipt_id: receipt.receipt_id, ...given({ cost: metered?.cost, opening }) };
}

/** Makes the headers that each answer of a run has. */
export function runHeaders({ request_id }: Asking, { run_id, provider }: RunNotes): Readonly<Record<string, string>> {
  return { 'request-id': request_id, ...given({ 'x-orb-run-id': run_id, 'x-orb-provider': provider }) };
}
