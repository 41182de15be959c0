import { get } from './api.ts';

/** One check of a receipt. */
export interface ShownCheck {
  readonly name: string;
  readonly result: 'pass' | 'fail' | 'not_checked';
  readonly detail?: string;
  readonly meaning: string;
  readonly word: string;
}

/** What the verifier found in a receipt. */
export interface ShownReport {
  readonly overall: 'VERIFIED' | 'VERIFIED-WITH-LIMITS' | 'REJECTED' | 'NOTHING-TO-VERIFY';
  readonly meaning: string;
  readonly limits: readonly string[];
  readonly hint?: string;
  readonly checks: readonly ShownCheck[];
}

type Verifier = (receipt: string, keys: string) => ShownReport;

/** Verifies a receipt here, in the browser, by the keys that this server publishes; the verifier is loaded at need. */
export async function verifyHere(receipt: object): Promise<ShownReport> {
  const [keys] = await Promise.all([get<object>('/.well-known/jwks.json'), load('/verify/verifier.js')]);
  const { orbVerifier } = globalThis as { orbVerifier?: Verifier };
  if (orbVerifier === undefined) throw new Error('The verifier could not be loaded');
  return orbVerifier(JSON.stringify(receipt), JSON.stringify(keys));
}

const load = (path: string): Promise<unknown> => import(path);
