/** Runs in the browser: gives the verifier to pages of this server that load it as a module when they need it. */
import { readTrust, type Trust } from '../verifier/trust.ts';
import { verify } from '../verifier/verify.ts';
import { meanings, overallMeaning, resultWords } from './words.ts';

const browser = globalThis as {
  /** The kinds of facts that plugins declare; the server writes them before this script. */
  readonly orbFacts?: NonNullable<Trust['facts']>;
  orbVerifier?: (receipt: string, keys: string) => object;
};

// `receipt`: the answer of GET /receipts/{receipt_id}; `keys`: that of GET /.well-known/jwks.json, got apart from it.
browser.orbVerifier = (receipt, keys) => {
  const { overall, limits, hint, checks } = verify(receipt, {
    ...(readTrust(keys) ?? { keys: [] }),
    facts: browser.orbFacts ?? [],
  });
  return {
    overall,
    meaning: overallMeaning[overall],
    limits,
    hint,
    checks: checks.map(({ name, result, detail }) => ({
      ...{ name, result, detail },
      meaning: meanings[name],
      word: resultWords[result],
    })),
  };
};
