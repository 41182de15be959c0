import { nonClaims, statementLimit } from '../../../../receipts/format/names.ts';
import type { RunStatement } from '../../../../receipts/format/run-statement.ts';
import { decodeUtf8, parseJson } from '../../../../receipts/format/strict-json.ts';
import { statementKinds } from '../../../statements.ts';
import { isObject } from './object.ts';
import type { Json } from './object.ts';
import { canonical, digestOf, publicKeyOf, thumbprint, utf8 } from './bytes.ts';
import { fits } from './shape.ts';

/** What every statement of this program says. */
export interface Head {
  readonly receipt_id: string;
  readonly issuer: { readonly kid: string; readonly installation: string };
  readonly log: { readonly origin: string };
  readonly non_claims: readonly string[];
}

/** A statement, and the text that was signed. */
export interface Statement {
  /** `run`; the empty text: of a kind that this verifier does not know. */
  readonly kind: string;
  readonly text: string;
  readonly head: Head;
  /** Of a run. */
  readonly run?: RunStatement['predicate'] | undefined;
  /** Of any other kind that this verifier knows. */
  readonly other?: (Json & { readonly at: string; readonly facts: Json }) | undefined;
}

const kinds = statementKinds();

/** Reads a statement from the bytes that were signed; a text: what is wrong with it. */
export async function readStatement(payload: Uint8Array): Promise<Statement | string> {
  const text = payload.length > statementLimit ? undefined : decodeUtf8(payload);
  const value = parseJson(text ?? '');
  // A member that comes twice is found here, too.
  if (text === undefined || canonical(value) !== text) return 'the payload is not canonical JSON of the right size';
  const named = isObject(value) ? /^urn:agent-orb:([a-z]+):v1$/.exec(String(value['predicateType']))?.[1] : undefined;
  const name = named === undefined || Object.hasOwn(kinds, named) ? (named ?? 'run') : '';
  const kind = kinds[name];
  if (!isObject(value) || kind === undefined || !fits(kind.shape, value)) return 'the payload breaks its schema';
  // The casts are safe: the shape was checked.
  const head = value['predicate'] as Head & Json;
  const run = name === 'run' ? (head as Json as unknown as RunStatement['predicate']) : undefined;
  const other = name === '' || name === 'run' ? undefined : (head as unknown as NonNullable<Statement['other']>);
  const statement = { kind: name, text, head, run, other };
  if (name === '') return statement;
  const times = run === undefined ? [head['at']] : [run.started_at, run.finished_at];
  const isWhole =
    head.log.origin.startsWith(`${head.issuer.installation}.`) &&
    head.non_claims.join() === nonClaims.join() &&
    times.every(isTime) &&
    kind.rules.every((rule) => rule.split(' | ').some((condition) => holds(condition, head))) &&
    (name !== 'key' || (await isOfKey(head as unknown as KeyPredicate))) &&
    canonical(value['subject']) === canonical(await subjectOf(kind.subject, statement));
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

function isTime(value: unknown): boolean {
  const ms = Date.parse(String(value));
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value;
}

async function subjectOf(names: readonly string[], { other, run }: Statement): Promise<unknown> {
  const subject = (name: string, digest: string) => ({ digest: { sha256: digest.replace('sha256:', '') }, name });
  if (run !== undefined)
    return (['inputs', 'outputs'] as const).flatMap((name) => {
      const committed = run.facts[name];
      return committed === undefined ? [] : [subject(`${run.run_id}/${name}`, committed.commitment)];
    });
  const members = names.map((name) => other?.[name] ?? other?.facts[name]);
  const name = members.find((member) => typeof member === 'string') ?? '';
  return [subject(name, await digestOf(utf8(canonical(other?.facts) ?? '')))];
}

/** The predicate of a signing key. */
export interface KeyPredicate extends Head {
  readonly kid: string;
  readonly facts: Json & { readonly public_key: Json };
}

async function isOfKey({ facts, kid }: KeyPredicate): Promise<boolean> {
  const key = publicKeyOf(facts.public_key['x']);
  return key !== undefined && (await thumbprint(key)) === kid;
}
