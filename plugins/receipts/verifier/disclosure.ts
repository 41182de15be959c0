import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64 } from '../base64.ts';
import type { Check } from './report.ts';
import { canonicalForm, isRun, type Statement } from './statement.ts';
import { isRecord } from './trust.ts';

/** Checks that disclosed values are those the statement commits to: SHA-256 of salt ‖ canonical form. */
export function checkDisclosure(disclosed: unknown, statement: Statement): Check[] {
  if (disclosed === undefined) return [];
  const name = 'disclosure_matches_commitment';
  const same = isRecord(disclosed) && Object.entries(disclosed).every((entry) => opens(entry, statement));
  if (same) return [{ name, result: 'pass' }];
  return [{ name, result: 'fail', detail: 'a disclosed value is not the one that was committed to' }];
}

function opens([name, shown]: readonly [string, unknown], statement: Statement): boolean {
  if (!isRun(statement) || (name !== 'inputs' && name !== 'outputs') || !isRecord(shown)) return false;
  const salt = typeof shown['salt'] === 'string' ? decodeBase64(shown['salt']) : undefined;
  const text = canonicalForm(shown['value']);
  if (salt === undefined || text === undefined) return false;
  const value = new TextEncoder().encode(text);
  const digest = bytesToHex(sha256(Uint8Array.of(...salt, ...value)));
  return statement.predicate.facts[name]?.commitment === `sha256:${digest}`;
}
