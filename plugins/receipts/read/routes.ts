import {
  defineRoute,
  holds,
  idOfCursor,
  pageOf,
  pageQuery,
  PlatformError,
  reply,
  type JsonSchema,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import { receiptDocumentOf } from '../contract.ts';
import { kindsWith, type Kinds } from '../kinds/kind.ts';
import type { Disclose } from './disclose.ts';
import { bundleOf, proofFileOf } from './export-formats.ts';
import type { KeySet } from '../format/jwk.ts';
import { fresh, inclusionProof, logKeys, logRoutes } from './log-routes.ts';
import type { ListedReceipt, ReceiptFilter } from './list.ts';
import { inclusionAtSize } from '../log/stored/read-proof.ts';
import type { ReceiptReader } from './reader.ts';
import type { Reads } from '../store.ts';
import type { Trust } from '../verifier/trust.ts';
import { verifyRoute } from '../verify-service/route.ts';
import type { LargeVerifier } from '../verify-service/thread.ts';
import { problems } from '../problems.ts';

const receiptParams = {
  type: 'object',
  additionalProperties: false,
  required: ['receipt_id'],
  properties: { receipt_id: { type: 'string', maxLength: 64, description: '`rec_<ulid>`' } },
} as const satisfies JsonSchema;

const keySetSchema = {
  $id: 'KeySet',
  type: 'object',
  additionalProperties: false,
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      description: 'Active, retired and revoked keys',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kty', 'crv', 'x', 'kid', 'alg', 'use', 'role', 'status', 'nbf'],
        properties: {
          kty: { const: 'OKP', description: 'Type of the key' },
          crv: { const: 'Ed25519', description: 'Curve of the key' },
          x: { type: 'string', description: 'The public key, base64url' },
          kid: { type: 'string', description: 'RFC 7638 thumbprint' },
          alg: { const: 'EdDSA', description: 'Algorithm' },
          use: { const: 'sig', description: 'Use of the key' },
          role: { type: 'string', enum: ['receipt', 'log', 'certificate'], description: 'What the key signs' },
          status: { type: 'string', enum: ['active', 'retired', 'revoked'], description: 'Whether it still signs' },
          nbf: { type: 'integer', description: 'seconds since the Unix epoch' },
          origin: { type: 'string', description: 'of a log key: the log it signs for' },
          since: {
            title: 'LogPlace',
            type: 'object',
            description: 'of a certificate key: where the entry stands that made it known',
            additionalProperties: false,
            required: ['origin', 'index'],
            properties: {
              origin: { type: 'string', description: 'Name of the log' },
              index: { type: 'integer', description: 'Position in the log, from 0' },
            },
          },
          revoked_at: {
            title: 'LogPlace',
            type: 'object',
            description: 'From where on it counts for nothing',
            additionalProperties: false,
            required: ['origin', 'index'],
            properties: {
              origin: { type: 'string', description: 'Name of the log' },
              index: { type: 'integer', description: 'Position in the log, from 0' },
            },
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;

const list = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pageQuery,
    orbiset: { type: 'string', maxLength: 64, description: 'Only of this Orbiset' },
    orb: { type: 'string', maxLength: 200, description: '`<namespace>.<name>@<version>`' },
    status: { type: 'string', maxLength: 32, description: 'Only of runs that ended so' },
    from: { type: 'string', format: 'date-time', description: 'not before this time' },
    to: { type: 'string', format: 'date-time', description: 'before this time' },
  },
} as const satisfies JsonSchema;

const listed = {
  type: 'object',
  additionalProperties: false,
  required: ['receipt_id', 'kind', 'timestamp', 'log'],
  properties: {
    receipt_id: { type: 'string', description: 'Id of the receipt' },
    kind: { type: 'string', description: 'What it attests' },
    run_id: { type: 'string', description: 'Id of the run' },
    orbiset_id: { type: 'string', description: 'Id of the Orbiset' },
    orb_id: { type: 'string', description: 'Id of the Orb' },
    status: { type: 'string', description: 'How the run ended' },
    trust_score: { type: 'integer', description: 'How far the run went under known-good controls, 0 to 100' },
    risk_level: { type: 'string', description: 'The risk of the run, by its effect and its score' },
    timestamp: { type: 'string', description: 'When the outcome was known' },
    log: {
      type: 'object',
      description: 'Where it stands',
      additionalProperties: false,
      required: ['origin', 'index'],
      properties: {
        origin: { type: 'string', description: 'Name of the log' },
        index: { type: 'integer', description: 'Position in the log, from 0' },
      },
    },
  },
} as const satisfies JsonSchema;

/** What the routes are made from. */
export interface ReceiptRoutes {
  readonly reads: Reads;
  readonly reader: ReceiptReader;
  /** Scopes of which one is enough to ask for a receipt. */
  readonly scopes: readonly string[];
  readonly trust: Trust;
  readonly verifier: LargeVerifier;
  readonly keys: KeySet;
  readonly disclose: Disclose;
}

/** Makes the routes: receipts, verified on every read; their list and proofs; the public keys. */
export function routes(options: ReceiptRoutes): Route[] {
  const { keys, reads, trust, verifier } = options;
  return [
    receiptRoute(options),
    proofRoute(options),
    listRoute(options),
    verifyRoute(trust, reads, verifier),
    ...logRoutes(reads),
    keysRoute(keys),
  ];
}

const sigstoreBundle = {
  title: 'SigstoreBundle',
  type: 'object',
  description: 'A Sigstore bundle v0.3',
  required: ['mediaType', 'dsseEnvelope'],
  additionalProperties: true,
} as const satisfies JsonSchema;

const receiptRoute = ({ disclose, reader, reads, scopes, trust }: ReceiptRoutes): Route =>
  defineRoute({
    method: 'GET',
    path: '/receipts/{receipt_id}',
    operationId: 'getReceipt',
    service: 'runtime',
    scope: scopes,
    summary: 'Read a receipt with its proof; everything is verified anew',
    params: receiptParams,
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        format: { enum: ['json', 'tlog-proof', 'sigstore'], default: 'json', description: 'Form of the answer' },
        disclose: {
          enum: ['inputs', 'outputs', 'inputs,outputs'],
          description: 'show kept values with their salts; needs `receipts:disclose`, or to have made the run',
        },
      },
    },
    response: { anyOf: [receiptDocumentOf([...kindsWith(trust.facts).keys()]), sigstoreBundle] },
    forms: { 'text/plain': { type: 'string', description: 'A .tlog-proof file' } },
    problems: [problems.receipt_not_found, 'insufficient_scope'],
    handle({ params, principal, query }): unknown {
      const found = reader.findFor(principal, params.receipt_id);
      if (query.format === undefined || query.format === 'json') {
        const names = (query.disclose?.split(',') ?? []) as ('inputs' | 'outputs')[];
        return names.length === 0
          ? found.document
          : { ...found.document, disclosed: disclose(found.row, names, principal) };
      }
      const { envelope, proof } = found.document;
      if (proof === undefined) throw new Error(`the store yields no proof for ${params.receipt_id}`);
      if (query.format === 'tlog-proof') return reply({ type: 'text/plain; charset=utf-8', body: proofFileOf(proof) });
      const key = logKeys(reads).find(({ name }) => name === proof.origin);
      if (key === undefined) throw new Error(`the store holds no key of ${proof.origin}`);
      return reply({ body: bundleOf(envelope, proof, key.publicKey) });
    },
  });

const proofRoute = ({ reader, reads, scopes }: ReceiptRoutes): Route =>
  defineRoute({
    method: 'GET',
    path: '/receipts/{receipt_id}/proof',
    operationId: 'proveReceipt',
    service: 'runtime',
    scope: scopes,
    summary: 'Prove that a receipt is in the log, at a size',
    params: receiptParams,
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        size: {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Size of the log; default: now',
        },
      },
    },
    response: inclusionProof,
    problems: [problems.receipt_not_found, 'invalid_parameter'],
    handle({ params, principal, query }) {
      const { row } = reader.findFor(principal, params.receipt_id);
      const log = reads.logs().find((candidate) => candidate.log === row.log);
      if (log === undefined) throw new Error(`the store holds no log ${row.log}`);
      const { size = log.size } = query;
      if (row.idx >= size || size > log.size)
        throw new PlatformError('invalid_parameter', `the receipt is in the log from ${row.idx + 1} to ${log.size}`);
      return { origin: log.origin, index: row.idx, size, ...inclusionAtSize(reads, log, row.idx, size) };
    },
  });

const listRoute = ({ reads, trust }: ReceiptRoutes): Route =>
  defineRoute({
    method: 'GET',
    path: '/receipts',
    operationId: 'listReceipts',
    service: 'runtime',
    scope: 'receipts:read',
    summary: 'List receipts, newest first; what is listed is not verified, reading one is',
    query: list,
    response: {
      $id: 'ReceiptList',
      type: 'object',
      required: ['receipts'],
      properties: {
        receipts: { type: 'array', description: 'Newest first', items: listed },
        next_cursor: { type: 'string', description: 'Cursor of the next page; absent on the last' },
      },
    },
    problems: [],
    handle({ principal, query }) {
      const { limit = 20, cursor, orb, orbiset, from, to, status } = query;
      const filter = {
        ...{ orbiset_id: orbiset, orb_id: orb, status, from, to },
        before: idOfCursor(cursor, 'rec_'),
        limit: limit + 1,
      };
      const rows = listFor(principal, kindsWith(trust.facts), (whose) => reads.listReceipts({ ...filter, ...whose }));
      const { items, ...next } = pageOf(rows, limit, ({ receipt_id }) => receipt_id);
      return { receipts: items.map(shown), ...next };
    },
  });

type Whose = Pick<ReceiptFilter, 'tenant' | 'ownKinds'>;

// A caller sees what it may read: its tenant's, and the installation's own of the acts that it has a scope of.
function listFor(
  { scopes, tenant }: Principal,
  kinds: Kinds,
  list: (whose: Whose) => ListedReceipt[],
): ListedReceipt[] {
  if (holds(scopes, '*')) return list({ tenant: undefined });
  const named = [...kinds].filter(([, kind]) => kind.scopes.some((scope) => holds(scopes, scope)));
  if (named.length === 0) return list({ tenant });
  const own = list({ tenant: undefined, ownKinds: named.map(([name]) => name) });
  return [...list({ tenant }), ...own].sort((one, other) => (one.receipt_id < other.receipt_id ? 1 : -1));
}

const keysRoute = (keys: KeySet): Route =>
  defineRoute({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'getPublicKeys',
    service: 'shared',
    public: true,
    summary: 'Public keys that verify receipts; retired ones stay',
    response: keySetSchema,
    problems: [],
    handle: () => reply({ headers: fresh, body: keys }),
  });

function shown({ log: _, idx, origin, ...row }: ListedReceipt): object {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), log: { origin, index: idx } };
}
