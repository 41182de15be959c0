import { given, PlatformError } from '../../../kernel/index.ts';
import {
  idempotencyKey,
  type Channel,
  type ExecutionResult,
  type RunStream,
  type RunWatcher,
} from '../../runtime/contract.ts';
import type { Asking, ModelsScope } from '../scope.ts';
import type { DoorRun, RunNotes } from './door-run.ts';
import type { OrbMember } from '../wire/shape.ts';
import { heldRun, refusalOfKey } from './held.ts';
import { requireModel } from './models.ts';
import { addRequestRate, tokenRateOf, withHeaders, withTokenRate } from './rates.ts';

/**
 * Runs an Orb for a caller of a door, once per Idempotency-Key. Throws the problem of a run that did not complete. Without
 * a key the run ends when its caller leaves: nobody could get its answer.
 */
export async function runOf(
  run: DoorRun,
  notes: RunNotes,
  scope: ModelsScope,
  stream?: RunStream,
): Promise<ExecutionResult> {
  const { signatures } = scope;
  const { orbiset_id, orb_id, asking } = run;
  const { principal } = asking;
  requireModel(String(run.inputs['model']), { principal, orbiset_id, orb_id }, scope);
  const inputs = await signatures.restored(run.inputs, principal);
  const result = await answerOf({ ...run, inputs }, notes, scope, stream);
  // Before its client can send the results of the tools.
  await signatures.keep(result.outputs, principal);
  return result;
}

async function answerOf(
  run: DoorRun,
  notes: RunNotes,
  scope: ModelsScope,
  stream: RunStream | undefined,
): Promise<ExecutionResult> {
  const { runtime } = scope;
  const { door, orbiset_id, orb_id, inputs, asking } = run;
  const { principal, client_ip, traceparent, headers } = asking;
  const call = {
    ...{ orbiset_id, orb_id, inputs, principal, client_ip, traceparent, limited: addRequestRate(run) },
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
  try {
    const gone = key === undefined ? asking.disconnected : undefined;
    const watched = { ...call, watcher, stream, gone, abandoned: () => asking.gone };
    const { answer, replayed } = await runtime.execute(watched, key);
    noted(answer.run_id);
    if (replayed) asking.addHeaders({ 'Idempotent-Replayed': 'true' });
    // The head of a stream has left.
    if (stream === undefined) asking.addHeaders(await tokenRateOf(run, notes, scope));
    return answer;
  } catch (error) {
    if (!mustWait(error))
      throw (await refusalOfKey(error, runtime)) ?? (await withTokenRate(billed(error, notes), run, notes, scope));
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
  return withHeaders(error, { [billedHeader]: metered.billed });
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
