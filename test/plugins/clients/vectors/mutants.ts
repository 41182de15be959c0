import { canonical } from '../../../../kernel/index.ts';
import { nonClaims, statementType } from '../../../../plugins/receipts/contract.ts';
import { thumbprint } from '../../../../plugins/receipts/format/jwk.ts';
import { subjectOfFacts } from '../../../../plugins/receipts/format/subject.ts';
import { digest, jwk, origin, raw } from '../../receipts/other-facts.ts';
import { heldVectors } from '../../receipts/held-sample.ts';
import { signedText, vectors, vectorStatement } from '../../receipts/sample.ts';
import { documents } from './receipts.ts';

type Random = () => number;

/** Makes numbers from 0 to 1 that a seed determines. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const run = vectorStatement();
const { finished_at: at, orb_id, orbiset_id, receipt_id, run_id, score_fact, tenant } = run.predicate;
const kid = vectors.keys.receipt_kid_rfc7638;
const principal = 'prn_01M6B27VZ00000000000000004';

function statementOf(
  kind: string,
  name: string,
  { facts, ...members }: Readonly<Record<string, unknown>> & { readonly facts: object },
): object {
  const issuer = { installation: origin.split('.')[0], kid, version: '0.4.0' };
  return {
    ...{
      _type: statementType,
      predicateType: `urn:agent-orb:${kind}:v1`,
      subject: subjectOfFacts(name, canonical(facts)),
    },
    predicate: { ...members, at, facts, issuer, log: { origin }, non_claims: [...nonClaims], receipt_id },
  };
}

const { caller_ref, is_self } = score_fact;

/** A statement of each kind that every verifier knows, and of one that none knows. */
export const statements: Readonly<Record<string, object>> = {
  run,
  held: JSON.parse(
    Buffer.from((heldVectors.run.artefact as { envelope: { payload: string } }).envelope.payload, 'base64').toString(),
  ) as object,
  key: statementOf('key', thumbprint(raw), {
    ...{ kid: thumbprint(raw) },
    facts: { role: 'receipt', change: 'rotated', public_key: jwk, previous_kid: kid },
  }),
  resolution: statementOf('resolution', run_id, {
    ...{ tenant, run_id, orbiset_id, orb_id, mode: 'live', sequence: 2, previous_digest: digest },
    score_fact: {
      outcome_class: 'ok',
      supersedes: 'orb_fault',
      is_self,
      ...(caller_ref === undefined ? {} : { caller_ref }),
    },
    facts: {
      resolves: { receipt_id, digest, finished_at: at },
      ...{ outcome: 'sent', status: 'completed', by: 'operator', principal },
    },
  }),
  swap: statementOf('swap', 'swp_01M7X8PQG00000000000000006', {
    ...{ swap_id: 'swp_01M7X8PQG00000000000000006', orb_id },
    facts: {
      ...{
        to: 'smtp-b',
        generation: 2,
        adapter: 'email/smtp',
        config_digest: digest,
        state: 'completed',
        started_at: at,
      },
    },
  }),
  strange: statementOf('strange', 'x', { facts: { anything: 1 } }),
};

// Words and values that some rule or other looks at.
const pool: readonly unknown[] = [
  ...['', 'x', 'completed', 'failed', 'denied', 'cancelled', 'accepted', 'deny', 'allow', 'ok', 'caller_fault', 'sent'],
  ...['created', 'added', 'adopted', 'revoked', 'log', 'receipt', 'live', at, '2026-02-30T00:00:00.000Z', digest, kid],
  ...[0, 1, 2, -1, 1.5, 2 ** 53, true, false, null, [], {}, [{}], ['x'], { origin, index: 1 }],
];
const names = [
  'extra',
  '?reason',
  '*',
  '__proto__',
  'reason',
  'previous_digest',
  'outputs',
  'stands',
  'from',
  'origin',
];

type Member = Record<string | number, unknown>;

/** Changes one place of a JSON value: takes a member away, adds one, or puts another value there. */
export function changed(value: object, random: Random): object {
  const copy = JSON.parse(JSON.stringify(value)) as Member;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let place = copy;
  while (random() < 0.85) {
    const deeper = Object.values(place).filter((one) => typeof one === 'object' && one !== null) as Member[];
    if (deeper.length === 0) break;
    place = pick(deeper);
  }
  const own = Object.keys(place);
  const way = random();
  if (way < 0.3 && own.length > 0 && !Array.isArray(place)) delete place[pick(own)];
  else if (way < 0.45 && !Array.isArray(place))
    Object.defineProperty(place, pick(names), { ...plain, value: pick(pool) });
  else if (own.length > 0) place[pick(own)] = pick(pool);
  return copy;
}

const plain = { enumerable: true, configurable: true, writable: true };

/** Makes documents: statements with a change that are signed and logged, texts of payloads, and artefacts with a change. */
export function mutants(count: number, random: Random): readonly string[] {
  const all = Object.values(statements);
  const parsed = JSON.parse(documents.run) as object;
  const held = JSON.parse(documents.held) as object;
  return Array.from({ length: count }, (_, at) => {
    const statement = all[at % all.length] ?? run;
    if (at % 5 === 3) return JSON.stringify(changed(at % 2 === 0 ? parsed : held, random));
    if (at % 5 === 4) return signedText(garbled(canonical(statement), random));
    try {
      return signedText(canonical(changed(statement, random)));
    } catch {
      // It has no canonical form.
      return signedText(JSON.stringify(statement));
    }
  });
}

const letters = ['0', '1', 'x', ' ', '"', '\\u0061', '\\ud800', '\u00e9', '.0', 'e0', ',"a":1', 'A'];

function garbled(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const letter = letters[Math.floor(random() * letters.length)] ?? '';
  return text.slice(0, at) + letter + text.slice(at + (random() < 0.5 ? 1 : 0));
}
