/**
 * What other plugins may import of receipts: kinds of facts, constants of the formats, and the schemas of a statement
 * and of a receipt.
 */
import { defineService, type Awaitable, type Infer, type JsonSchema, type Principal } from '../../kernel/index.ts';
import type { ArchivedFile } from './format/tar.ts';
import { exactly, optional, described, oneOf, component, listOf } from './format/exactly.ts';
import type { Position, PublicKey } from './format/jwk.ts';
import { envelope, type Envelope } from './format/envelope.ts';
import { predicateType } from './kinds/kind.ts';
import { head, statementOf, time } from './format/schema-parts.ts';
import type { OtherStatement } from './kinds/predicate.ts';
import { runStatement, type RunStatement } from './format/run-statement.ts';

export { isRecord, parseStrict } from './format/strict-json.ts';
export { worstOf } from './verifier/report.ts';
export { tar, tarHeader, type ArchivedFile } from './format/tar.ts';
export { manifestFile, parseManifest, type ReceiptFile } from './verifier/archive/exported.ts';
export { verifyReceipts, type FolderOptions, type FolderReport } from './verifier/archive/files.ts';
export { showFolder } from './verifier/archive/show-report.ts';
export { readSignedManifest } from './verifier/archive/signed-manifest.ts';
export { readStaticLog, type StaticLog } from './log/static/static-log.ts';
export { signStatement, type SignedStatement } from './log/static/sign-statement.ts';
export { readSigners, verifyStatement, type StatementReport } from './verifier/archive/signed-statement.ts';
export { readPinned, trustOptions } from './verifier/trust-store/pinned-trust.ts';
export { commitWith, createCommit } from './format/commitment.ts';
export { defineFact, type FactKind, type FactOf, type FactOwner, type FactRule } from './format/fact-kind.ts';
export { preAuthentication } from './format/dsse.ts';
export { publicKeyOf } from './format/ed25519.ts';
export { thumbprint, type Position } from './format/jwk.ts';
export { envelope, type Envelope } from './format/envelope.ts';
export { demonstrationMark, nonClaims, payloadType, statementLimit, statementType } from './format/names.ts';
export { undecidedReasons } from './format/names.ts';
export { kindOf, ownKinds, predicateType } from './kinds/kind.ts';
export { isEarlier } from './verifier/position.ts';
export * as factParts from './format/schema-parts.ts';
export type { KeyPredicate } from './kinds/key.ts';
export { resolvedClass, type ResolutionPredicate } from './kinds/resolution.ts';
export type { SwapPredicate } from './kinds/swap.ts';
export type { Trust } from './verifier/trust.ts';
export { ShownLog, type ShownEntry } from './verifier/entries.ts';
export { readKnownLogs, type KnownLogs } from './verifier/trust-store/known-logs.ts';
export { runFacts, runPredicate, runScore, runStatement, scoreFact } from './format/run-statement.ts';
export type { RunFacts, RunPredicate, RunScore, RunStatement, ScoreFact } from './format/run-statement.ts';

/** Names the log of an installation's shard; also the name of its key. */
export function logOrigin(installation: string, shard = '0'): string {
  return `${installation}.orb/receipts/${shard}`;
}

const hashText = { type: 'string', description: 'base64 of 32 bytes' } as const;
const note = {
  type: 'string',
  description: 'C2SP signed note of the log: origin, size, root, signature lines',
} as const;

/** Schema of the proof that a receipt is in the log. */
export const logProof = exactly('LogProof', {
  origin: { type: 'string', description: 'Name of the log' },
  index: { type: 'integer', minimum: 0, description: 'Position in the log, from 0' },
  tree_size: { type: 'integer', minimum: 1, description: 'Number of entries of the log' },
  hashes: { type: 'array', items: hashText, description: 'RFC 6962 inclusion path, from the leaf up' },
  leaf: { type: 'string', description: 'base64 of the entry of the log' },
  checkpoint: note,
});
/** The proof that a receipt is in the log. */
export type LogProofDocument = Infer<typeof logProof>;

/** Schema of one verdict. */
export const verdict = exactly('Verdict', {
  name: { type: 'string', description: 'What was checked' },
  result: oneOf(['pass', 'fail', 'not_checked'], 'Result of the check'),
  detail: optional({ type: 'string', description: 'What was found' }),
});

const disclosedValue = exactly('Disclosed', {
  salt: { type: 'string', description: 'base64' },
  value: { type: 'object', description: 'The value that was committed to', additionalProperties: true },
});

// Members common to all statements except a run's. Each kind defines its own `facts`.
const otherStatement = {
  title: 'OtherStatement',
  ...statementOf(
    { type: 'string', description: 'Kind of what is attested' },
    {
      ...exactly({
        ...head,
        at: { ...time, description: 'When it happened' },
        facts: { type: 'object', description: 'What happened, in words of the kind', additionalProperties: true },
      }),
      description: 'What is attested',
      additionalProperties: true,
    },
  ),
};

/** Schema of the answer of `GET /receipts/{receipt_id}`: all but `envelope` and `proof` is a copy for reading. */
export const receiptDocument = component('Receipt', {
  receipt_id: { type: 'string', description: 'Id of the receipt' },
  trust_score: optional({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'The trust score of a run; receipts of other kinds have none',
  }),
  risk_level: optional(
    oneOf(['low', 'medium', 'high', 'critical'], 'Risk level of the run, from its effect and its score'),
  ),
  signature_valid: {
    type: 'boolean',
    description: 'Whether all required checks pass; the server checks at every read',
  },
  timestamp: { type: 'string', description: 'RFC 3339 UTC: when the outcome was known, or when it happened' },
  statement: optional({ oneOf: [runStatement, otherStatement], description: 'A copy of the statement for reading' }),
  envelope: { ...envelope, description: 'The DSSE envelope: what is signed' },
  proof: optional({ ...logProof, description: 'The proof that the receipt is in the log' }),
  disclosed: optional(
    described('Kept values, each with the salt of its commitment; only if requested', {
      inputs: optional({ ...disclosedValue, description: 'The inputs with their salt' }),
      outputs: optional({ ...disclosedValue, description: 'The outputs with their salt' }),
    }),
  ),
  checks: listOf('The checks and their results', verdict),
  resolution: optional({
    type: 'string',
    description: 'The receipt that resolved this run, whose outcome was unknown',
  }),
  effective: optional(
    described('Present when a check failed: the values that count instead', {
      trust_score: { const: 0, description: 'Always 0' },
      risk_level: { const: 'critical', description: 'Always critical' },
      reason: { type: 'string', description: 'The check that failed' },
    }),
  ),
});
/** Schema of that answer when these kinds of facts are attested besides runs. */
export function receiptDocumentOf(kinds: readonly string[]): JsonSchema {
  const { properties } = otherStatement;
  const predicateTypes = { enum: kinds.map(predicateType), description: properties.predicateType.description };
  const other = { ...otherStatement, properties: { ...properties, predicateType: predicateTypes } };
  // Client generators cannot tell two objects with the same members apart without it.
  const others = predicateTypes.enum.map((type) => [type, '#/components/schemas/OtherStatement'] as const);
  const own = { [runStatement.properties.predicateType.const]: '#/components/schemas/RunStatement' };
  const mapping = { ...own, ...Object.fromEntries(others) };
  const discriminator = { propertyName: 'predicateType', mapping };
  const statement = { ...receiptDocument.properties.statement, oneOf: [runStatement, other], discriminator };
  return { ...receiptDocument, properties: { ...receiptDocument.properties, statement } };
}
/** A receipt with all its proofs. */
export type ReceiptDocument = Omit<Infer<typeof receiptDocument>, 'statement'> & {
  readonly statement?: RunStatement | OtherStatement;
};

/** One entry of the log, as a follower of the log reads it. */
export interface LogEntry extends Position {
  readonly receipt_id: string;
  readonly kind: string;
  /** The statement in canonical form; as UTF-8 it is the payload of the envelope. */
  readonly statement: string;
}

/** One entry of the log with what proves it. */
export interface ProvenEntry extends LogEntry {
  readonly envelope: Envelope;
  /** Bytes of the entry as stored in the log. */
  readonly leaf: Uint8Array;
}

/** The signed head of one shard. */
export interface LogHead {
  readonly origin: string;
  readonly tree_size: number;
  /** base64 of 32 bytes. */
  readonly root_hash: string;
  /** C2SP signed note. */
  readonly checkpoint: string;
}

/** How many entries of each shard were read, by origin; of a shard that it does not name, none. */
export type LogVector = ReadonlyMap<string, number>;

/** Entries of a shard that were signed, and that the store does not hold: its database went back. */
export interface LostEntries {
  readonly origin: string;
  /** Index of the first of them. */
  readonly from: number;
  /** Index after the last of them that is known. */
  readonly until: number;
  /** The receipt that attests it: the first entry of the shard that goes on. */
  readonly receipt_id: string;
}

/** The log as other plugins read it: committed entries only, in pages of bounded memory. */
export interface TransparencyLog {
  /** Heads of all shards, oldest first. Several of them may grow. */
  heads(): Awaitable<readonly LogHead[]>;
  /**
   * Entries that are not read yet, of all shards, at most `limit`; `until` bounds them. Each shard comes in its order,
   * and shards that grew at the same time come mixed by the age of their receipts: a later call may give an older one.
   */
  entriesAfter(read: LogVector, limit: number, until?: LogVector): Awaitable<readonly LogEntry[]>;
  /** The entries other than runs, at most `limit`; the cost does not depend on the number of runs. */
  othersAfter(read: LogVector, limit: number, until?: LogVector): Awaitable<readonly LogEntry[]>;
  /** The entry at a position; undefined: there is none. */
  entryAt(position: Position): Awaitable<ProvenEntry | undefined>;
  /** Adds to entries, which it answered, what proves them; in their order. */
  prove(entries: readonly LogEntry[]): Awaitable<readonly ProvenEntry[]>;
  /** Finds entries that the first entries of these shards attest, and that the store does not hold. */
  lostBefore(origins: readonly string[]): Awaitable<readonly LostEntries[]>;
  /** Verifies a receipt in full, as a read does: false when any required verdict fails, or there is no such receipt. */
  verifies(receiptId: string): Awaitable<boolean>;
  /** Position of a receipt; undefined: there is no such receipt. */
  position(receiptId: string): Awaitable<Position | undefined>;
  /** Positions of receipts, by their ids; one that is not there has none. */
  positions(receiptIds: readonly string[]): Awaitable<ReadonlyMap<string, Position>>;
  /** Calls the listener soon after commits that added entries, once for many; answers a function that stops this. */
  onAppend(listener: () => void): () => void;
}

/** Reads the transparency log. */
export const transparencyLog = defineService<TransparencyLog>('transparency_log');

/** The key that signs certificates; only the writer thread holds its opened seed. */
export interface CertificateSigner {
  /** The active key and all former keys with their status. */
  keys(): readonly (Pick<PublicKey, 'kid' | 'public_key' | 'status' | 'revoked_at' | 'stands'> & {
    /** Position of its `created` or `rotated` entry. */
    readonly since: Position;
  })[];
  /** Signs with the active key, and verifies with the published key before it answers. */
  sign(message: Uint8Array): Promise<{ readonly kid: string; readonly signature: Uint8Array }>;
}

/** Signs certificates and status lists. */
export const certificateSigner = defineService<CertificateSigner>('certificate_signer');

/** The auditor's finding on one receipt. */
export interface AuditFinding {
  readonly receipt_id: string;
  /** Absent: the installation's own receipt, not about an Orb. */
  readonly orb_id?: string;
  /** `failing`: a required verdict fails; `cleared`: it verifies again. */
  readonly state: 'failing' | 'cleared';
  /** Names of the verdicts that fail. */
  readonly verdicts: readonly string[];
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** The background auditor, which verifies every new receipt in full. */
export interface Auditor {
  /** Receipts that currently fail. */
  failing(): readonly AuditFinding[];
  /** Calls the listener for each receipt that starts to fail or verifies again; answers a function that stops this. */
  onFinding(listener: (finding: AuditFinding) => void): () => void;
}

/** Receipts as `GET /receipts/{receipt_id}` answers them. */
export interface ReceiptDocuments {
  /** Finds a receipt that the caller may see, verified again; undefined when there is none. */
  find(principal: Principal, receiptId: string): Promise<ReceiptDocument | undefined>;
}

/** Receipts for plugins that put them into an archive of their own. */
export interface ReceiptArchive {
  /** Lists the files of an export, as `GET /receipts/export` does, without the tiles of the logs. */
  files(
    filter: { readonly from: string; readonly to: string; readonly tenant?: string },
    at: string,
  ): AsyncIterable<ArchivedFile>;
  /** Signs a manifest of files with the receipt key of this process. */
  sign(manifest: Uint8Array): Promise<Omit<Envelope, 'payloadType'> & { readonly payloadType: string }>;
  /** Makes the page that verifies receipts as a saved file, with the public keys in it; undefined: there are no pages. */
  page(): Promise<string | undefined>;
}

/** Gives receipts to archives of other plugins. */
export const receiptArchive = defineService<ReceiptArchive>('receipt_archive');

/** Reads receipts for a caller. */
export const receiptDocuments = defineService<ReceiptDocuments>('receipt_documents');

/** Lists the receipts that do not verify. */
export const receiptAuditor = defineService<Auditor>('receipt_auditor');
