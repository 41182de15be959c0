import { read, type Scope, type Until } from './ask.ts';
import type { Expected } from './declared.ts';
import { isRecord } from '../../../receipts/format/strict-json.ts';
import type { Plain } from './outcome.ts';
import { verifyReceipt } from './receipt.ts';
import type { Json, ReceiptSummary, Verdict } from './surface.ts';

/** What the server calls completed. */
export interface Done {
  readonly key: string;
  readonly runId: string;
  readonly receipt: ReceiptSummary;
  readonly outputs: Json;
  readonly replayed: boolean;
}

/** Says how a call ended that the server calls completed: its receipt decides. `limits`: what is left unproved anyway. */
export async function complete(
  scope: Scope,
  { outputs, replayed, ...base }: Done,
  { limits = [], ...expected }: Expected & { readonly limits?: readonly string[] },
  until: Until,
): Promise<Plain> {
  const completed = { ...base, kind: 'completed', outputs, replayed };
  if (scope.options.verify === 'never') return completed;
  const all = { runId: base.runId, status: 'completed', ...expected };
  const { document, verdict } = await prove(scope, base.receipt.receipt_id, all, until);
  if (!verdict.verified) {
    const { check, detail } = verdict;
    return { ...base, kind: 'unverified', check, detail, document, unverifiedOutputs: outputs };
  }
  const { verified: _, ...verified } = verdict;
  return { ...completed, verified: { ...verified, limits: [...verified.limits, ...limits] } };
}

interface Proof {
  readonly document?: string;
  readonly verdict: Verdict;
}

// Reads the receipt of a run and verifies it.
async function prove(scope: Scope, receiptId: string, expected: Expected, until: Until): Promise<Proof> {
  // The action was done: while there is time, the proof of it is asked for.
  const patient = { ...scope, options: { ...scope.options, tries: scope.options.tries ?? Infinity } };
  const { heard } = await read(patient, `/receipts/${encodeURIComponent(receiptId)}`, until);
  if (heard.kind !== 'answered' || heard.status !== 200)
    return { verdict: { verified: false, check: 'receipt', detail: `the receipt ${receiptId} could not be read` } };
  const { text: document } = heard;
  const keys = await scope.pins.keys();
  const verify = async (by: Expected): Promise<Proof> => ({
    document,
    verdict: await verifyReceipt(document, keys, { ...by, ed25519: scope.options.ed25519 }),
  });
  const proof = await verify(expected);
  const { inputs, orbId = '' } = expected;
  if (proof.verdict.verified || proof.verdict.check !== 'disclosure_matches_commitment') return proof;
  // The receipt commits to the inputs with the defaults of the schema.
  const schema = await schemaOf(scope, orbId, until);
  return schema === undefined ? proof : verify({ ...expected, inputs: withDefaults(inputs, schema) as Json });
}

// Undefined: it has no defaults, or the key may not read it.
async function schemaOf(scope: Scope, orbId: string, until: Until): Promise<Json | undefined> {
  const { heard } = await read(scope, `/orbs/${encodeURIComponent(orbId)}`, until);
  const orb = heard.kind === 'answered' ? heard.json : undefined;
  const manifest = isRecord(orb) ? orb['manifest'] : undefined;
  const schema = isRecord(manifest) ? manifest['inputs_schema'] : undefined;
  return isRecord(schema) && JSON.stringify(schema).includes('"default"') ? schema : undefined;
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
