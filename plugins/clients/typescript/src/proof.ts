import { isRecord } from '../../../receipts/format/strict-json.ts';
import { read } from './ask.ts';
import type { Expected } from './declared.ts';
import type { Plain } from './outcome.ts';
import { verifyReceipt } from './receipt.ts';
import type { Json, ReceiptSummary, Verdict } from './surface.ts';
import { trusted } from './trust.ts';
import { within, type Scope, type Until } from './wire.ts';

/** What the server calls completed. */
export interface Done {
  readonly key: string;
  readonly runId: string;
  readonly receipt: ReceiptSummary;
  readonly outputs: Json;
  readonly replayed: boolean;
}

const sampled = 0.1;

/** Says how a call ended that the server calls completed: its receipt decides. `limits`: what is left unproved anyway. */
export async function complete(
  scope: Scope,
  { outputs, replayed, ...base }: Done,
  { limits = [], ...expected }: Expected & { readonly limits?: readonly string[] },
  until: Until,
): Promise<Plain> {
  const completed = { ...base, kind: 'completed', outputs, replayed };
  const { verify } = scope.options;
  if (verify === 'never' || (verify === 'sampled' && scope.time.random() >= sampled)) return completed;
  const all = { runId: base.runId, status: 'completed', ...expected };
  const { receipt_id: receiptId } = base.receipt;
  const proof = await within(scope, until, () => prove(scope, receiptId, all, until));
  const unproved = { ...base, kind: 'unverified', unverifiedOutputs: outputs };
  if (typeof proof !== 'object')
    return { ...unproved, check: 'receipt', detail: `the receipt ${receiptId}, or the keys for it, could not be read` };
  const { document, verdict } = proof;
  if (!verdict.verified) return { ...unproved, check: verdict.check, detail: verdict.detail, document };
  const { verified: _, ...verified } = verdict;
  return { ...completed, verified: { ...verified, limits: [...verified.limits, ...limits] } };
}

interface Proof {
  readonly document: string;
  readonly verdict: Verdict;
}

// Reads the receipt of a run and verifies it; undefined: it, or the keys, could not be read.
async function prove(scope: Scope, receiptId: string, expected: Expected, until: Until): Promise<Proof | undefined> {
  const { ed25519, tries = Infinity } = scope.options;
  // The action was done: while there is time, the proof of it is asked for.
  const { status, text: document } = await read(scope, `/receipts/${encodeURIComponent(receiptId)}`, until, { tries });
  const keys = status === 200 ? await trusted(scope, { tries, ...until }).catch(() => undefined) : undefined;
  if (keys === undefined) return undefined;
  const verdict = await verifyReceipt(document, keys, { ...expected, ed25519 });
  if (verdict.verified || verdict.check !== 'disclosure_matches_commitment') return { document, verdict };
  // The receipt commits to the inputs with the defaults of the schema.
  const schema = await schemaOf(scope, expected.orbId ?? '', until);
  const inputs = withDefaults(expected.inputs, schema) as Json | undefined;
  return { document, verdict: await verifyReceipt(document, keys, { ...expected, inputs, ed25519 }) };
}

// Undefined: the key may not read it.
async function schemaOf(scope: Scope, orbId: string, until: Until): Promise<unknown> {
  const { json } = await read(scope, `/orbs/${encodeURIComponent(orbId)}`, until);
  const manifest = json?.['manifest'];
  return isRecord(manifest) ? manifest['inputs_schema'] : undefined;
}

function withDefaults(value: unknown, schema: unknown): unknown {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, member] of Object.entries(properties)) {
    const fallback = isRecord(member) ? member['default'] : undefined;
    const own = Object.hasOwn(filled, name) ? filled[name] : fallback;
    if (own !== undefined) filled[name] = withDefaults(own, member);
  }
  return filled;
}
