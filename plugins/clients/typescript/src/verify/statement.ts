import { nonClaims, statementLimit } from '../../../../receipts/format/names.ts';
import type { RunStatement } from '../../../../receipts/format/run-statement.ts';
import { isTime } from '../../../../receipts/format/schema.ts';
import { decodeUtf8, isRecord, parseJson } from '../../../../receipts/format/strict-json.ts';
import { subjects } from '../../../../receipts/format/subject.ts';
import { statementKinds } from '../../../statements.ts';
import { canonical, digestOf, publicKeyOf, thumbprint, utf8 } from './bytes.ts';
import type { Json } from './object.ts';
import { fits } from './shape.ts';

/** What is read of a statement of any kind. */
export type Predicate = Json & {
  readonly receipt_id: string;
  readonly issuer: { readonly kid: string; readonly installation: string };
  readonly log: { readonly origin: string };
  readonly non_claims: readonly string[];
  readonly facts: Json;
};

/** A statement, and the text that was signed. */
export interface Statement {
  /** `run`; the empty text: of a kind that this verifier does not know. */
  readonly kind: string;
  readonly text: string;
  readonly predicate: Predicate;
  /** The same, of a run. */
  readonly run: RunStatement['predicate'] | undefined;
}

const kinds = statementKinds();

/** Reads a statement from the bytes that were signed; a text: what is wrong with it. */
export async function readStatement(payload: Uint8Array): Promise<Statement | string> {
  const text = payload.length > statementLimit ? undefined : decodeUtf8(payload);
  const value = parseJson(text ?? '');
  // A member that comes twice is found here, too.
  if (text === undefined || canonical(value) !== text) return 'the payload is not canonical JSON of the right size';
  const { predicateType, subject, ...rest } = isRecord(value) ? value : {};
  const named = /^urn:agent-orb:([a-z]+):v1$/.exec(String(predicateType))?.[1] ?? 'run';
  const name = Object.hasOwn(kinds, named) ? named : '';
  const kind = kinds[name];
  if (kind === undefined || !fits(kind.shape, value)) return 'the payload breaks its schema';
  // The casts are safe: the shape was checked.
  const predicate = rest['predicate'] as Predicate;
  const run = name === 'run' ? (predicate as unknown as RunStatement['predicate']) : undefined;
  const statement = { kind: name, text, predicate, run };
  if (name === '') return statement;
  const { at, issuer, log, non_claims } = predicate;
  const isWhole =
    log.origin.startsWith(`${issuer.installation}.`) &&
    non_claims.join() === nonClaims.join() &&
    [at, run?.started_at, run?.finished_at].every(isTime) &&
    kind.rules.every((rule) => rule.split(' | ').some((condition) => holds(condition, predicate))) &&
    (name !== 'key' || (await isOfKey(predicate))) &&
    canonical(subject) === canonical(await subjectOf(kind.subject, statement));
  return isWhole ? statement : 'members of the payload contradict each other';
}

function holds(condition: string, predicate: Json): boolean {
  const at = (path: string): unknown =>
    path.split('.').reduce<unknown>((value, name) => (value as Json | undefined)?.[name], predicate);
  const [path = '', text] = condition.split(/!?=/);
  if (text === undefined) return (at(path.replace('!', '')) === undefined) === path.startsWith('!');
  const should = text.startsWith('@') ? at(text.slice(1)) : text;
  return (String(at(path)) === String(should)) !== condition.includes('!=');
}

async function subjectOf(names: readonly string[], { predicate, run }: Statement): Promise<unknown> {
  if (run !== undefined) return subjects(run);
  const { facts } = predicate;
  const members = names.map((name) => predicate[name] ?? facts[name]);
  const name = members.find((member) => typeof member === 'string') ?? '';
  return [{ digest: { sha256: await digestOf(utf8(canonical(facts) ?? '')) }, name }];
}

async function isOfKey({ facts, kid }: Predicate): Promise<boolean> {
  const key = publicKeyOf((facts['public_key'] as Json)['x']);
  return key !== undefined && (await thumbprint(key)) === kid;
}
