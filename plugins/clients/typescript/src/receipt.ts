import { readTrust } from '../../../receipts/verifier/trust.ts';
import { examine } from '../../../receipts/verifier/verify.ts';
import type { Report } from '../../../receipts/verifier/report.ts';
import { requiredOfAll } from '../../../receipts/verifier/report.ts';
import { isRun, type Statement } from '../../../receipts/verifier/statement.ts';
import type { Expected } from './declared.ts';
import { withSignatures, type Ed25519 } from './ed25519.ts';
import type { Json, KeySet, Verdict } from './surface.ts';

type Document = Json | Uint8Array | string;

/** Verifies a receipt, and compares it with what is expected of it. */
export async function verifyReceipt(
  document: Document,
  trust: KeySet,
  { ed25519, ...expected }: Expected & { readonly ed25519?: Ed25519 | undefined } = {},
): Promise<Verdict> {
  return (await examineReceipt(textOf(document), trust, expected, ed25519)).verdict;
}

/** Verifies a receipt, and answers its statement too, if a trusted key signed it. */
export async function examineReceipt(
  text: string,
  trust: KeySet,
  expected: Expected = {},
  ed25519?: Ed25519,
): Promise<{ readonly verdict: Verdict; readonly statement?: Statement }> {
  const keys = readTrust(JSON.stringify(trust)) ?? { keys: [] };
  const opened = openedBy(expected);
  try {
    const { report, statement } = await withSignatures(
      () => examine(text, keys, opened === undefined ? {} : { opened }),
      ed25519,
    );
    const verdict = verdictOf(report, statement, expected);
    return statement === undefined ? { verdict } : { verdict, statement };
  } catch (error) {
    return { verdict: refused('crypto', `this runtime cannot verify Ed25519: ${String(error)}`) };
  }
}

/** Reads a receipt as text. */
export function textOf(document: Document): string {
  if (typeof document === 'string') return document;
  return document instanceof Uint8Array ? new TextDecoder().decode(document) : JSON.stringify(document);
}

function openedBy({ inputs, opening, outputs }: Expected): object | undefined {
  if (inputs === undefined && outputs === undefined) return undefined;
  const { inputs_salt, outputs_salt } = opening ?? {};
  return {
    ...(inputs === undefined ? {} : { inputs: { salt: inputs_salt, value: inputs } }),
    ...(outputs === undefined ? {} : { outputs: { salt: outputs_salt, value: outputs } }),
  };
}

const refused = (check: string, detail: string): Verdict => ({ verified: false, check, detail });

function verdictOf(report: Report, statement: Statement | undefined, expected: Expected): Verdict {
  const { checks, exit, hint, limits, values } = report;
  if (exit !== 0 || values === undefined || statement === undefined) {
    const failed = checks.find(({ result }) => result === 'fail');
    if (failed !== undefined) return refused(failed.name, failed.detail ?? 'it failed');
    if (hint !== undefined) return refused(report.overall === 'NOTHING-TO-VERIFY' ? 'envelope' : 'malformed', hint);
    const missing = requiredOfAll.find((name) => !checks.some((one) => one.name === name && one.result === 'pass'));
    return refused(missing ?? 'envelope', checks.find(({ name }) => name === missing)?.detail ?? 'it was not checked');
  }
  const wrong = comparisons(statement, expected).find(([, is, should]) => should !== undefined && is !== should);
  if (wrong !== undefined) return refused(wrong[0], `the receipt is of another ${wrong[0].replace('_', ' ')}`);
  const { installation, kid, receipt_id: receiptId, risk_level: riskLevel, trust_score: trustScore } = values;
  return {
    ...{ verified: true, receiptId, kid, installation, limits },
    ...(trustScore === undefined ? {} : { trustScore }),
    ...(riskLevel === undefined ? {} : { riskLevel }),
  };
}

type Comparison = readonly [check: string, is: unknown, should: unknown];

function comparisons(statement: Statement, { manifest, orbId, runId, status }: Expected): readonly Comparison[] {
  const run = isRun(statement) ? statement.predicate : undefined;
  return [
    ['run_id', run?.run_id, runId],
    ['orb_id', run?.orb_id, orbId],
    ['status', run?.status, status],
    ['manifest_digest', run?.facts.orb.manifest_digest, manifest],
  ];
}
