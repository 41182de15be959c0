import { hash } from 'node:crypto';
import { canonical, PlatformError, type WriteConnection } from '../../../kernel/index.ts';
import type { Chains } from './chain.ts';
import { payloadType, statementLimit } from '../contract.ts';
import type { Marks } from '../../row-marks/contract.ts';
import { headOf } from '../format/dsse.ts';
import { encodeSpki, entryText } from '../log/pure/entry.ts';
import { receiptColumns, type StoredReceipt } from '../log/rows/stored-receipt.ts';
import type { LogWriter } from '../log/stored/writer.ts';
import type { Signer } from './signer.ts';
import type { Shapes } from './shapes.ts';
import { completeValues, type SentShape, type SplitStatement } from './split-statement.ts';
import { fill } from '../format/shape.ts';

/** A statement to be signed and stored, and the members that reads search by. */
export interface ToAppend extends Pick<StoredReceipt, 'kind' | 'receipt_id' | 'timestamp'>, Searched {
  /** In canonical form; split iff it belongs in the chain of its Orbiset: the writer adds its position. */
  readonly statement: string | SplitStatement | SentStatement;
  /** Name of the log in the statement; the writer replaces it when it writes to another log. */
  readonly origin: string;
  /** Id of the key in the statement; the writer replaces it likewise. */
  readonly kid: string;
}

/** A split statement whose shape goes by its number. */
export interface SentStatement extends Pick<SplitStatement, 'values'> {
  readonly shape: SentShape;
}

// Without a tenant it is the installation's own.
type Searched = {
  readonly [K in 'run_id' | 'tenant' | 'orbiset_id' | 'orb_id' | 'status' | 'trust_score' | 'risk_level']?: NonNullable<
    StoredReceipt[K]
  >;
};

/** The result of an append; complete once the write resolves. */
export interface Appended {
  readonly receipt_id: string;
  /** The checkpoint over this receipt was signed twice alike, by a key whose pair was proven when it was opened. */
  signature_valid: boolean;
  /** Position in the chain of its Orbiset; 0 for a receipt without a chain. */
  sequence: number;
  /** `sha256:<hex>` of the payload. */
  digest: string;
  /** Position in the log. */
  index: number;
}

// Room for `previous_digest`, the longest `sequence`, a longer log name, and the text around the predicate.
const writerMembers = 320;

/** Refuses a statement that is too long or names a foreign key. */
export function refuseMisfit({ kid, statement }: ToAppend, isOurs: (kid: string) => boolean): void {
  const { texts, counted } = lengthsOf(statement);
  const known = writerMembers + counted;
  // A character takes three bytes at most: nearly all statements are accepted without counting bytes.
  if (texts.reduce((sum, text) => sum + 3 * text.length, known) > statementLimit) {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), known);
    if (bytes > statementLimit)
      throw new PlatformError('internal', `the statement has ${bytes} bytes; the limit is ${statementLimit}`);
  }
  if (!isOurs(kid)) throw new PlatformError('internal', 'the statement names a key of another installation');
}

// The texts of a statement, and the bytes that are counted already.
function lengthsOf(statement: ToAppend['statement']): { readonly texts: readonly string[]; readonly counted: number } {
  if (typeof statement === 'string') return { texts: [statement], counted: 0 };
  const { shape, values } = statement;
  return typeof shape === 'string'
    ? { texts: [shape, ...values], counted: 0 }
    : { texts: values, counted: shape.bytes };
}

/** Signs a statement, adds it to its chain and the log, and stores it; writes the positions to `appended`. */
export type Issue = (fact: ToAppend, appended: Appended) => void;

/** What the statements of all kinds are placed and stored with. */
export interface IssueParts {
  readonly connection: WriteConnection;
  readonly chains: Chains;
  readonly shapes: Shapes;
  readonly marks: Pick<Marks<'orbiset_id' | 'orb_id'>, 'add'>;
}

/** Makes an Issue on the writing connection. */
export function issuer({ connection, chains, marks, shapes }: IssueParts, signer: Signer, log: LogWriter): Issue {
  const columns = [...receiptColumns, 'shape'];
  const places = columns.map(() => '?').join(', ');
  const insert = connection.prepare(`INSERT INTO receipts_receipts (${columns.join(', ')}) VALUES (${places})`);
  const spki = encodeSpki(signer.publicKey);
  return (fact, appended) => {
    const { run_id = null, tenant = null, orbiset_id = null, orb_id = null, status = null } = fact;
    const { text, sequence, stored, shape } = place(fact, { chains, shapes, kid: signer.kid, origin: log.origin });
    // Encode the text only once: the payload is the end of the signed bytes.
    const head = headOf(payloadType, Buffer.byteLength(text));
    const message = Buffer.from(head + text);
    const payload = message.subarray(head.length);
    const signature = Buffer.from(signer.sign(message));
    const payloadHash = hash('sha256', payload, 'buffer');
    const digest = `sha256:${payloadHash.toString('hex')}`;
    const entry = entryText(payloadHash.toString('base64'), signature.toString('base64'), spki);
    const index = log.add(Buffer.from(entry));
    insert.queue(
      ...[fact.receipt_id, fact.kind, run_id, tenant, orbiset_id, orb_id, status, log.origin, sequence ?? null],
      ...[stored === undefined ? payload : Buffer.from(stored), signature, signer.kid, digest, fact.timestamp],
      ...[fact.trust_score ?? null, fact.risk_level ?? null, log.log, index, shape ?? null],
    );
    marks.add(fact);
    if (sequence !== undefined) chains.extend(fact.orbiset_id ?? '', log.origin, { sequence, digest });
    appended.sequence = sequence ?? 0;
    appended.digest = digest;
    appended.index = index;
  };
}

interface Address {
  readonly kid: string;
  readonly origin: string;
}

interface Placed {
  readonly text: string;
  readonly sequence?: number;
  /** The values that are stored with a shape; absent: the whole text is. */
  readonly stored?: string;
  readonly shape?: string;
}

/** Completes a statement with its position in its Orbiset's chain, if it has one, under the current key and log. */
function place(fact: ToAppend, at: Address & Pick<IssueParts, 'chains' | 'shapes'>): Placed {
  const { statement, orbiset_id } = fact;
  const current = fact.kid === at.kid && fact.origin === at.origin;
  if (typeof statement === 'string') return { text: current ? statement : readdress(statement, at) };
  const previous = at.chains.head(orbiset_id ?? '', at.origin);
  const sequence = (previous?.sequence ?? 0) + 1;
  const values = completeValues(statement, sequence, previous?.digest);
  const { cut, shape } = at.shapes.find(at.shapes.textOf(statement.shape));
  const text = fill(cut, values);
  if (text === undefined) throw new PlatformError('internal', 'the values of a statement do not fit its shape');
  if (!current) return { text: readdress(text, at), sequence };
  return shape === null ? { text, sequence } : { text, sequence, stored: values, shape };
}

// Drafted before a change of keys and issued after it: only the members for key and log are replaced.
function readdress(text: string, { kid, origin }: Address): string {
  const { predicate, ...rest } = JSON.parse(text) as { readonly predicate: { readonly issuer: object } };
  return canonical({ ...rest, predicate: { ...predicate, issuer: { ...predicate.issuer, kid }, log: { origin } } });
}
