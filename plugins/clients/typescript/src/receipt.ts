import { payloadType } from '../../../receipts/format/names.ts';
import { parseStrict } from '../../../receipts/format/strict-json.ts';
import { readReceipt } from '../../../receipts/verifier/artefact.ts';
import type * as declared from './declared.ts';
import type { Document, Expected } from './declared.ts';
import type { Json, KeySet, Verdict } from './surface.ts';
import { soundly, webCrypto, type Ed25519 } from './verify/bytes.ts';
import { copyOf, disclosureOf, scoreOf, signatureOf, type Check } from './verify/checks.ts';
import { keysOf, type Ways } from './verify/keys.ts';
import { logOf } from './verify/log.ts';
import { defined } from './verify/object.ts';
import { readStatement, type Statement } from './verify/statement.ts';

const longest = 1_048_576;

/** A verdict, and the statement if a trusted key signed one. */
export interface Examined {
  readonly verdict: Verdict;
  readonly statement?: Statement;
  /** It is not refused; only something that it takes to verify it is not there. */
  readonly isOpen?: boolean;
}

/** Verifies a receipt, and compares it with what is expected of it. */
export const verifyReceipt: typeof declared.verifyReceipt = async (document, trust, { ed25519, ...expected } = {}) =>
  (await examineReceipt(document, trust, ed25519, expected)).verdict;

/** Verifies a receipt, and answers its statement, too. */
export async function examineReceipt(
  document: Document,
  trust: KeySet,
  ed25519: Ed25519 = webCrypto,
  expected: Expected = {},
): Promise<Examined> {
  const text = textOf(document);
  try {
    const ways = { keys: await keysOf(parseStrict(JSON.stringify(trust))), ed25519: soundly(ed25519) };
    return await examine(text.length > longest ? undefined : parseStrict(text), ways, expected);
  } catch (error) {
    return { verdict: refused(['crypto', false, `this runtime cannot verify Ed25519: ${String(error)}`]) };
  }
}

/** Reads a receipt as text. */
export function textOf(document: Document): string {
  if (typeof document === 'string') return document;
  return document instanceof Uint8Array ? new TextDecoder().decode(document) : JSON.stringify(document);
}

const refused = ([check, , detail]: Check): Verdict => ({ verified: false, check, detail });

async function examine(value: unknown, ways: Ways, expected: Expected): Promise<Examined> {
  const artefact = readReceipt(value);
  if ('nothing' in artefact) return { verdict: refused(['envelope', false, artefact.nothing]) };
  if ('malformed' in artefact) return { verdict: refused(['malformed', false, artefact.malformed]) };
  const { claim, copy, decisions = [], disclosed, envelope } = artefact;
  const found = await signatureOf(envelope, ways);
  if (!('key' in found)) return { verdict: refused(found) };
  const { payload, payloadType: type } = envelope;
  const statement = type === payloadType ? await readStatement(payload) : 'it is not in-toto';
  if (typeof statement === 'string') return { verdict: refused(['statement_schema', false, statement]) };
  const { kind, predicate, run } = statement;
  const checks: readonly Check[] = [
    ['key_trusted', predicate.issuer.kid === found.key.kid, 'the statement names another key'],
    ['statement_schema', kind === '' ? undefined : true, 'it is of a kind that is not known here'],
    copyOf(copy, statement),
    ...(run === undefined ? [] : [scoreOf(run)]),
    ...(await logOf({ claim, payload, statement, ...found }, ways)),
    ...(await disclosureOf([disclosed, openedBy(expected)], statement)),
    ...(await approvalOf(decisions, statement, ways)),
  ];
  const verdict = verdictOf(checks, statement, expected);
  return { verdict, statement, isOpen: !verdict.verified && checks.every(([, passed]) => passed !== false) };
}

// As JSON has them: a member that is undefined is none.
function openedBy({ inputs, opening, outputs }: Expected): unknown {
  const shown = (value: Json | undefined, salt?: string) => value && { salt, value };
  const text = JSON.stringify({
    inputs: shown(inputs, opening?.inputs_salt),
    outputs: shown(outputs, opening?.outputs_salt),
  });
  return text === '{}' ? undefined : JSON.parse(text);
}

const approval = 'approval_matches';

// The receipt of a decision is of a kind that only a server knows, so what it says is not compared with the run.
async function approvalOf(decisions: readonly unknown[], { run }: Statement, ways: Ways): Promise<readonly Check[]> {
  const last = run?.facts.approval;
  const named = last && [...(last.earlier ?? []), last].flatMap((one) => one.decisions);
  const saved = await Promise.all(decisions.map((one) => examine(one, ways, {})));
  const isRefused = saved.some(
    ({ isOpen, statement }) => !isOpen || !named?.includes(statement?.predicate.receipt_id ?? ''),
  );
  if (isRefused) return [[approval, false, 'a decision is refused, or the run does not name it']];
  return named === undefined ? [] : [[approval, undefined, 'the receipts of decisions are not read']];
}

// What failed counts before what could not be made, and both before what is of another run.
function verdictOf(checks: readonly Check[], { predicate, run }: Statement, expected: Expected): Verdict {
  const compared = [
    ['run_id', run?.run_id, expected.runId],
    ['orb_id', run?.orb_id, expected.orbId],
    ['status', run?.status, expected.status],
    ['manifest_digest', run?.facts.orb.manifest_digest, expected.manifest],
  ] as const;
  const others = compared.flatMap(([name, is, should]): Check[] =>
    should === undefined || is === should ? [] : [[name, false, `the receipt is of another ${name.replace('_', ' ')}`]],
  );
  const wrong =
    checks.find(([, passed]) => passed === false) ??
    checks.find(([name, passed]) => passed === undefined && name !== approval) ??
    others[0];
  if (wrong !== undefined) return refused(wrong);
  const { issuer, receipt_id: receiptId } = predicate;
  const limits = checks.flatMap(([name, passed, detail]) => (passed ? [] : [`${name}: not checked: ${detail}`]));
  return defined({
    ...{ verified: true as const, receiptId, kid: issuer.kid, installation: issuer.installation, limits },
    ...{ trustScore: run?.score.trust_score, riskLevel: run?.score.risk_level },
  });
}
