import { read, type Scope, type Sent, type Until } from './ask.ts';
import type { Expected } from './declared.ts';
import { isObject, type Execution, type Plain } from './outcome.ts';
import { examineReceipt } from './receipt.ts';
import type { Json, Verdict } from './surface.ts';
import type { Answered } from './wire.ts';

/** Says how a call ended that the server calls completed: its receipt decides. */
export async function complete(scope: Scope, sent: Sent, answer: Answered, until: Until): Promise<Plain> {
  const { opening, outputs, receipt, run_id: runId } = answer.json as Execution;
  const { key, body, manifest, orb: orbId } = sent;
  const replayed = answer.headers.has('idempotent-replayed');
  const base = { key, runId, receipt };
  if (scope.options.verify === 'never') return { ...base, kind: 'completed', outputs, replayed };
  const inputs = body['inputs'] as Json;
  const expected = { runId, orbId, status: 'completed', manifest, inputs, outputs, opening };
  const { document, verdict } = await prove(scope, receipt.receipt_id, expected, until);
  if (!verdict.verified) {
    const { check, detail } = verdict;
    return { ...base, kind: 'unverified', check, detail, document, unverifiedOutputs: outputs };
  }
  const { verified: _, ...verified } = verdict;
  return { ...base, kind: 'completed', outputs, verified, replayed };
}

/** Reads the receipt of a run and verifies it. */
export async function prove(
  scope: Scope,
  receiptId: string,
  expected: Expected,
  until: Until,
): Promise<{ readonly document?: string; readonly verdict: Verdict }> {
  // The action was done: while there is time, the proof of it is asked for.
  const patient = { ...scope, options: { ...scope.options, tries: scope.options.tries ?? Infinity } };
  const { heard } = await read(patient, `/receipts/${encodeURIComponent(receiptId)}`, until);
  if (heard.kind !== 'answered' || heard.status !== 200)
    return { verdict: { verified: false, check: 'receipt', detail: `the receipt ${receiptId} could not be read` } };
  const { text: document } = heard;
  const keys = await scope.pins.keys();
  const verify = async (by: Expected): Promise<Verdict> =>
    (await examineReceipt(document, keys, by, scope.options.ed25519)).verdict;
  const verdict = await verify(expected);
  const { inputs = {}, orbId = '' } = expected;
  const differs = !verdict.verified && verdict.check === 'disclosure_matches_commitment';
  const schema = differs ? await schemaOf(scope, orbId, until) : undefined;
  // The receipt commits to the inputs with the defaults of the schema.
  if (schema === undefined) return { document, verdict };
  return { document, verdict: await verify({ ...expected, inputs: withDefaults(inputs, schema) as Json }) };
}

// Undefined: it has no defaults, or the key may not read it.
async function schemaOf(scope: Scope, orbId: string, until: Until): Promise<Json | undefined> {
  const { heard } = await read(scope, `/orbs/${encodeURIComponent(orbId)}`, until);
  const orb = heard.kind === 'answered' ? heard.json : undefined;
  const manifest = isObject(orb) ? orb['manifest'] : undefined;
  const schema = isObject(manifest) ? manifest['inputs_schema'] : undefined;
  return isObject(schema) && JSON.stringify(schema).includes('"default"') ? schema : undefined;
}

function withDefaults(value: unknown, schema: unknown): unknown {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(value) || !isObject(properties)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, member] of Object.entries(properties)) {
    const fallback = isObject(member) ? member['default'] : undefined;
    const own = Object.hasOwn(filled, name) ? filled[name] : fallback;
    if (own !== undefined) filled[name] = withDefaults(own, member);
  }
  return filled;
}
