import { payloadType } from '../../../receipts/format/names.ts';
import { parseStrict } from '../../../receipts/format/strict-json.ts';
import type { Expected } from './declared.ts';
import { defined, isObject } from './verify/object.ts';
import type { Json, KeySet, Verdict } from './surface.ts';
import { webCrypto, type Ed25519 } from './verify/bytes.ts';
import { copyOf, disclosureOf, logOf, ofLog, scoreOf } from './verify/checks.ts';
import { envelopeOf, signatureOf, type Check, type Ways } from './verify/envelope.ts';
import { keysOf } from './verify/keys.ts';
import { isGrowth, readClaim } from './verify/log.ts';
import { readStatement, type Statement } from './verify/statement.ts';

type Document = Json | Uint8Array | string;
const longest = 1_048_576;
const mostListed = 64;
const required = [
  'envelope',
  'key_trusted',
  'statement_schema',
  'readable_copy_matches',
  ...ofLog,
  'key_status_at_index',
];
const copied = ['receipt_id', 'trust_score', 'risk_level', 'timestamp', 'statement'];

/** A verdict, and the statement if a trusted key signed one. */
export interface Examined {
  readonly verdict: Verdict;
  readonly statement?: Statement | undefined;
  /** It is not refused; only something that it takes to verify it is not there. */
  readonly isOpen?: boolean;
}

/** Verifies a receipt, and compares it with what is expected of it. */
export async function verifyReceipt(
  document: Document,
  trust: KeySet,
  { ed25519, ...expected }: Expected & { readonly ed25519?: Ed25519 | undefined } = {},
): Promise<Verdict> {
  return (await examineReceipt(textOf(document), trust, expected, ed25519)).verdict;
}

/** Verifies a receipt, and answers its statement, too. */
export async function examineReceipt(
  text: string,
  trust: KeySet,
  expected: Expected = {},
  ed25519: Ed25519 = webCrypto,
): Promise<Examined> {
  try {
    const keys = await keysOf(parseStrict(JSON.stringify(trust)));
    return await examine(text.length > longest ? undefined : parseStrict(text), { keys, ed25519 }, expected);
  } catch (error) {
    return refused('crypto', `this runtime cannot verify Ed25519: ${String(error)}`);
  }
}

/** Reads a receipt as text. */
export function textOf(document: Document): string {
  if (typeof document === 'string') return document;
  return document instanceof Uint8Array ? new TextDecoder().decode(document) : JSON.stringify(document);
}

const refused = (check: string, detail: string): Examined => ({ verdict: { verified: false, check, detail } });

async function examine(value: unknown, ways: Ways, expected: Expected): Promise<Examined> {
  if (!isObject(value)) return refused('malformed', 'it is no JSON object, has a member twice, or is too large');
  const forms = ['payload', 'dsseEnvelope', 'envelope'].filter((name) => Object.hasOwn(value, name));
  if (forms.length === 0 && (isSummary(value) || isSummary(value['receipt'])))
    return refused('envelope', 'this is a summary of a receipt: fetch the receipt and verify that');
  if (forms.length !== 1 || forms[0] === 'dsseEnvelope')
    return refused('malformed', 'give one receipt as the API answers it, or its envelope');
  // Next to the members of an envelope, those that are not ours are ignored (DSSE).
  const bare = Object.fromEntries(Object.entries(value).filter(([name]) => copied.includes(name)));
  const artefact: Json = forms[0] === 'payload' ? { ...bare, envelope: value } : value;
  const { consistency = [], decisions = [], disclosed, proof } = artefact;
  const [envelope, claim] = [envelopeOf(artefact['envelope']), readClaim(proof)];
  const isWhole = isShort(decisions) && isShort(consistency) && consistency.every(isGrowth);
  if (envelope === undefined || !isWhole || (claim === undefined && proof !== undefined))
    return refused('malformed', 'the envelope, the proof or a list is malformed');
  const { checks: ofSignature, key, signature } = await signatureOf(envelope, ways);
  if (key === undefined || signature === undefined) return { verdict: verdictOf(ofSignature) };
  const statement = envelope.type === payloadType ? await readStatement(envelope.payload) : 'it is not in-toto';
  if (typeof statement === 'string')
    return { verdict: verdictOf([...ofSignature, ['statement_schema', false, statement]]) };
  const checks: readonly Check[] = [
    ...ofSignature.slice(0, 1),
    ['key_trusted', statement.head.issuer.kid === key.kid, 'the statement names another key'],
    ['statement_schema', statement.run || statement.other ? true : undefined, 'it is of a kind that is not known here'],
    copyOf(artefact, statement),
    ...(statement.run === undefined ? [] : [scoreOf(statement.run)]),
    ...(await logOf(claim, { payload: envelope.payload, key, signature, statement }, ways)),
    ...(await disclosureOf([disclosed, openedBy(expected)], statement)),
    ...(await approvalOf(decisions, statement, ways)),
  ];
  const verdict = verdictOf(checks, statement, expected);
  return { verdict, statement, isOpen: !verdict.verified && checks.every(([, passed]) => passed !== false) };
}

const isShort = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length <= mostListed;

function isSummary(value: unknown): boolean {
  const names = ['receipt_id', 'trust_score', 'risk_level', 'signature_valid', 'timestamp'];
  return (
    isObject(value) &&
    typeof value['receipt_id'] === 'string' &&
    Object.keys(value).every((name) => names.includes(name))
  );
}

// As JSON has them: a member that is undefined is none.
function openedBy({ inputs, opening, outputs }: Expected): unknown {
  const shown = (value: Json | undefined, salt?: string) => (value === undefined ? undefined : { salt, value });
  const text = JSON.stringify({
    inputs: shown(inputs, opening?.inputs_salt),
    outputs: shown(outputs, opening?.outputs_salt),
  });
  return text === '{}' ? undefined : JSON.parse(text);
}

// The receipt of a decision is of a kind that only a server knows, so what it says is not compared with the run.
async function approvalOf(decisions: readonly unknown[], { run }: Statement, ways: Ways): Promise<readonly Check[]> {
  const last = run?.facts.approval;
  const named = last && [...(last.earlier ?? []), last].flatMap((one) => one.decisions);
  const saved = await Promise.all(decisions.map((one) => examine(one, ways, {})));
  const isRefused = saved.some(
    ({ isOpen, statement }) => !isOpen || !named?.includes(statement?.head.receipt_id ?? ''),
  );
  if (isRefused) return [['approval_matches', false, 'a decision is refused, or the run does not name it']];
  return named === undefined ? [] : [['approval_matches', undefined, 'the receipts of decisions are not read']];
}

function verdictOf(checks: readonly Check[], statement?: Statement, expected: Expected = {}): Verdict {
  const made = new Map(checks.map(([name, passed, detail]) => [name, { passed, detail }]));
  // What failed counts before what could not be made.
  const wrong =
    checks.find(([, passed]) => passed === false)?.[0] ?? required.find((name) => made.get(name)?.passed !== true);
  if (wrong !== undefined || statement === undefined)
    return {
      verified: false,
      check: wrong ?? 'envelope',
      detail: made.get(wrong ?? '')?.detail ?? 'it was not checked',
    };
  const { head, run } = statement;
  const compared = [
    ['run_id', run?.run_id, expected.runId],
    ['orb_id', run?.orb_id, expected.orbId],
    ['status', run?.status, expected.status],
    ['manifest_digest', run?.facts.orb.manifest_digest, expected.manifest],
  ] as const;
  const other = compared.find(([, is, should]) => should !== undefined && is !== should)?.[0];
  if (other !== undefined)
    return { verified: false, check: other, detail: `the receipt is of another ${other.replace('_', ' ')}` };
  const { issuer, receipt_id: receiptId } = head;
  const limits = checks.flatMap(([name, passed, detail]) =>
    passed === true ? [] : [`${name}: not checked: ${detail}`],
  );
  return defined({
    ...{ verified: true as const, receiptId, kid: issuer.kid, installation: issuer.installation, limits },
    ...{ trustScore: run?.score.trust_score, riskLevel: run?.score.risk_level },
  });
}
