import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64 } from '../format/base64.ts';
import { fail, type Check } from './report.ts';
import { canonicalForm, isRun, type Statement } from './statement.ts';
import { isRecord } from '../format/strict-json.ts';

/**
 * Checks that disclosed values match the statement's commitments: SHA-256 of salt ‖ canonical form. The values are in
 * the artefact, or the caller provides them with the salts; one check covers all.
 */
export function checkDisclosure(all: readonly unknown[], statement: Statement): Check[] {
  const given = all.filter((disclosed) => disclosed !== undefined);
  if (given.length === 0) return [];
  const name = 'disclosure_matches_commitment';
  const shown = given.flatMap(entriesOf);
  const wrong = shown.find((entry) => !opens(entry, statement));
  if (wrong === undefined) {
    const names = [...new Set(shown.map(([what]) => what))].join(' and ');
    return [{ name, result: 'pass', ...(names === '' ? {} : { detail: names }) }];
  }
  const [what] = wrong;
  const values = what === 'inputs' || what === 'outputs' ? what : 'disclosed values';
  return [fail(name, `the ${values} do not match the commitment in the receipt`)];
}

function entriesOf(disclosed: unknown): (readonly [string, unknown])[] {
  return isRecord(disclosed) ? Object.entries(disclosed) : [['', disclosed]];
}

function opens([name, shown]: readonly [string, unknown], statement: Statement): boolean {
  if (!isRun(statement) || (name !== 'inputs' && name !== 'outputs') || !isRecord(shown)) return false;
  const salt = typeof shown['salt'] === 'string' ? decodeBase64(shown['salt']) : undefined;
  const text = canonicalForm(shown['value']);
  if (salt === undefined || text === undefined) return false;
  const digest = bytesToHex(sha256.create().update(salt).update(new TextEncoder().encode(text)).digest());
  return statement.predicate.facts[name]?.commitment === `sha256:${digest}`;
}
