/** Runs in the browser: gives the verifier to pages of this server that load it as a module when they need it. */
import { readTrust } from '../verifier/trust.ts';
import { verify } from '../verifier/verify.ts';
import { meanings, overallMeaning, resultWords } from './words.ts';

const browser = globalThis as { orbVerifier?: (receipt: string, keys: string) => object };

// `receipt`: the answer of GET /receipts/{receipt_id}; `keys`: that of GET /.well-known/jwks.json, got apart from it.
browser.orbVerifier = (receipt, keys) => {
  const { overall, limits, hint, checks } = verify(receipt, readTrust(keys) ?? { keys: [] });
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
