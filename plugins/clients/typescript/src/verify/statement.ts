import { nonClaims, statementLimit } from '../../../../receipts/format/names.ts';
import type { RunStatement } from '../../../../receipts/format/run-statement.ts';
import { decodeUtf8, parseJson } from '../../../../receipts/format/strict-json.ts';
import { statementKinds } from '../../../statements.ts';
import { isObject } from '../object.ts';
import type { Json } from '../surface.ts';
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
  readonly type: string;
  readonly text: string;
  readonly head: Head;
  /** Of a run. */
  readonly run?: RunStatement['predicate'] | undefined;
  /** Of a kind that this verifier knows, but of a run. */
  readonly other?: (Json & { readonly at: string; readonly facts: Json }) | undefined;
}

type Predicate = NonNullable<Statement['other']> & Head;

const kinds = statementKinds();
const runType = 'urn:agent-orb:run:v1';

/** Reads a statement from the bytes that were signed; a text: what is wrong with it. */
export async function readStatement(payload: Uint8Array): Promise<Statement | string> {
  const text = payload.length > statementLimit ? undefined : decodeUtf8(payload);
  const value = parseJson(text ?? '');
  // A member that comes twice is found here, too.
  if (text === undefined || canonical(value) !== text) return 'the payload is not canonical JSON of the right size';
  const type = isObject(value) ? String(value['predicateType']) : '';
  const known = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  const kind = known ?? kinds[/^urn:agent-orb:[a-z]+:v1$/.test(type) ? '' : runType];
  if (!isObject(value) || kind === undefined || !fits(kind.shape, value)) return 'the payload breaks its schema';
  // The casts are safe: the shape was checked.
  const head = value['predicate'] as Head;
  if (known === undefined) return { type, text, head };
  const run = type === runType ? (head as RunStatement['predicate']) : undefined;
  const other = run === undefined ? (head as Predicate) : undefined;
  const isWhole =
    head.log.origin.startsWith(`${head.issuer.installation}.`) &&
    head.non_claims.join() === nonClaims.join() &&
    (run === undefined || agrees(run)) &&
    (other === undefined || (await otherAgrees(type, other))) &&
    canonical(value['subject']) === canonical(await subjectOf(kind.subject, run, other));
  return isWhole ? { type, text, head, run, other } : 'members of the payload contradict each other';
}

function isTime(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

function agrees({
  facts,
  finished_at,
  previous_digest,
  reason,
  sequence,
  started_at,
  status,
}: RunStatement['predicate']) {
  const { outcome, policy } = facts;
  return (
    (previous_digest === undefined) === (sequence === 1) &&
    (reason === undefined) === (status === 'completed') &&
    (outcome === 'accepted') === (status === 'completed') &&
    (outcome === 'denied') === (status === 'denied') &&
    (policy.decision === 'deny') === (status === 'denied') &&
    (policy.reasons === undefined) === (policy.decision === 'allow') &&
    isTime(started_at) &&
    isTime(finished_at)
  );
}

async function subjectOf(names: readonly string[], run: Statement['run'], other: Statement['other']): Promise<unknown> {
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

async function otherAgrees(type: string, predicate: Predicate | NonNullable<Statement['other']>): Promise<boolean> {
  if (!isTime(predicate.at)) return false;
  if (type === 'urn:agent-orb:resolution:v1') return resolutionAgrees(predicate as unknown as Resolution);
  return type !== 'urn:agent-orb:key:v1' || keyAgrees(predicate as unknown as KeyPredicate);
}

interface Resolution {
  readonly facts: { readonly outcome: string; readonly status: string };
  readonly score_fact: { readonly outcome_class: string; readonly supersedes: string };
  readonly sequence: number;
  readonly previous_digest?: string;
}

function resolutionAgrees({ facts, previous_digest, score_fact, sequence }: Resolution): boolean {
  const { outcome_class, supersedes } = score_fact;
  const sent = facts.outcome === 'sent';
  return (
    (previous_digest === undefined) === (sequence === 1) &&
    sent === (facts.status === 'completed') &&
    outcome_class === (supersedes === 'caller_fault' ? supersedes : sent ? 'ok' : 'orb_fault')
  );
}

/** The predicate of a signing key. */
export interface KeyPredicate extends Head {
  readonly kid: string;
  readonly facts: Readonly<Record<string, unknown>> & { readonly public_key: Json & { readonly x: string } };
}

async function keyAgrees({ facts, issuer, kid }: KeyPredicate): Promise<boolean> {
  const { change, from, origin, previous_checkpoint, previous_kid, public_key, reason, role, stands, vkey } = facts;
  const key = publicKeyOf(public_key.x);
  const [ofLog, ofReceipts] = [role === 'log', role === 'receipt'];
  const revoked = change === 'revoked';
  return (
    key !== undefined &&
    (await thumbprint(key)) === kid &&
    ofLog === (origin !== undefined) &&
    ofLog === (vkey !== undefined) &&
    (previous_checkpoint === undefined || (ofLog && (change === 'created' || change === 'adopted'))) &&
    (change !== 'adopted' || (ofLog && !!previous_checkpoint)) &&
    (change !== 'rotated' || (!!previous_kid && previous_kid !== kid)) &&
    !!from === revoked &&
    (!revoked || !!reason) &&
    (stands === undefined || revoked) &&
    (change !== 'added' || (ofReceipts && issuer.kid !== kid)) &&
    // Made known by the key itself, replaced by the old key, revoked by its successor.
    (!ofReceipts || change !== 'created' || issuer.kid === kid) &&
    (!ofReceipts || change !== 'rotated' || issuer.kid === previous_kid) &&
    (!ofReceipts || !revoked || issuer.kid !== kid)
  );
}
