import {
  defineRoute,
  holds,
  idOfCursor,
  mergePages,
  nextOf,
  pageQuery,
  PlatformError,
  reply,
  type AwaitedReads,
  type JsonSchema,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import { exactly, optional } from '../format/exactly.ts';
import { receiptDocumentOf } from '../contract.ts';
import { kindsWith, type Kinds } from '../kinds/kind.ts';
import type { Disclose } from './disclose.ts';
import { bundleOf, proofFileOf } from './export-formats.ts';
import type { KeySet } from '../format/jwk.ts';
import { keySetSchema } from '../format/key-set.ts';
import { fresh, inclusionProof, logKeys, logRoutes } from './log-routes.ts';
import { filterOf, filterQuery, listedReceipt, type ListFilter } from '../log/rows/filter.ts';
import { damaged } from '../log/stored/read-proof.ts';
import type { ReceiptReader } from './reader.ts';
import type { Reads, ServedReads } from '../store.ts';
import type { Trust } from '../verifier/trust.ts';
import { verifyRoute } from '../verify-service/route.ts';
import type { LargeVerifier } from '../verify-service/thread.ts';
import { problems } from '../problems.ts';
import { component, listOf } from '../format/schema-parts.ts';

const read = { method: 'GET', service: 'runtime' } as const;
const receiptParams = exactly({
  receipt_id: { type: 'string', maxLength: 64, description: '`rec_<ulid>`' },
});

/** What the routes are made from. */
export interface ReceiptRoutes {
  readonly reads: ServedReads;
  readonly lists: Pick<AwaitedReads<Reads>, 'listReceipts'>;
  readonly reader: ReceiptReader;
  /** Scopes; one of them suffices to request a receipt. */
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
    verifyRoute(trust, reads.ownLog, verifier),
    ...logRoutes(reads),
    keysRoute(keys),
  ];
}

const sigstoreBundle = {
  title: 'SigstoreBundle',
  type: 'object',
  description: 'A Sigstore bundle v0.3',
  required: ['mediaType', 'dsseEnvelope'],
  // ogen tells this form from a receipt by a member of its own.
  properties: {
    mediaType: { type: 'string', description: 'Kind and version of the bundle' },
    dsseEnvelope: { type: 'object', description: 'What is signed' },
  },
  additionalProperties: true,
} as const satisfies JsonSchema;

const receiptRoute = ({ disclose, reader, reads, scopes, trust }: ReceiptRoutes): Route =>
  defineRoute({
    ...read,
    path: '/receipts/{receipt_id}',
    operationId: 'getReceipt',
    scope: scopes,
    narrowed: true,
    summary: 'Read a receipt with its proof; the server verifies it again',
    params: receiptParams,
    query: exactly({
      format: optional({
        enum: ['json', 'tlog-proof', 'sigstore'],
        default: 'json',
        description: 'Format of the response',
      }),
      disclose: optional({
        enum: ['inputs', 'outputs', 'inputs,outputs'],
        description:
          'Include kept values with their salts; needs `receipts:disclose`, or a key of the caller of the run',
      }),
    }),
    response: { oneOf: [receiptDocumentOf([...kindsWith(trust.facts).keys()]), sigstoreBundle] },
    forms: { 'text/plain': { type: 'string', description: 'A .tlog-proof file' } },
    problems: [problems.receipt_not_found, 'insufficient_scope', problems.log_damaged],
    async handle({ params, principal, query }): Promise<unknown> {
      const found = await reader.findFor(principal, params.receipt_id);
      if (query.format === undefined || query.format === 'json') {
        const names = (query.disclose?.split(',') ?? []) as ('inputs' | 'outputs')[];
        return names.length === 0
          ? found.document
          : { ...found.document, disclosed: await disclose(found.row, names, principal) };
      }
      const { envelope, proof } = found.document;
      if (proof === undefined) throw damaged(`the log has no proof for ${params.receipt_id}`);
      if (query.format === 'tlog-proof') return reply({ type: 'text/plain; charset=utf-8', body: proofFileOf(proof) });
      const key = (await logKeys(reads)).find(({ name }) => name === proof.origin);
      if (key === undefined) throw new Error(`the store has no key of ${proof.origin}`);
      return reply({ body: bundleOf(envelope, proof, key.publicKey) });
    },
  });

const proofRoute = ({ reader, reads, scopes }: ReceiptRoutes): Route =>
  defineRoute({
    ...read,
    path: '/receipts/{receipt_id}/proof',
    operationId: 'proveReceipt',
    scope: scopes,
    narrowed: true,
    summary: 'Get the proof that a receipt is in the log, at a size',
    params: receiptParams,
    query: exactly({
      size: optional({
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Size of the log. Default: the current size',
      }),
    }),
    response: inclusionProof,
    problems: [problems.receipt_not_found, 'invalid_parameter', problems.log_damaged],
    async handle({ params, principal, query }) {
      const { row } = await reader.findFor(principal, params.receipt_id);
      const log = (await reads.logs()).find((candidate) => candidate.log === row.log);
      if (log === undefined) throw new Error(`the store has no log ${row.log}`);
      const { size = log.size } = query;
      if (row.idx >= size || size > log.size)
        throw new PlatformError(
          'invalid_parameter',
          `the size must be from ${row.idx + 1} to ${log.size} for this receipt`,
        );
      return { origin: log.origin, index: row.idx, size, ...(await reads.inclusion(log, row.idx, size)) };
    },
  });

const listRoute = ({ lists: { listReceipts }, trust }: ReceiptRoutes): Route =>
  defineRoute({
    ...read,
    path: '/receipts',
    operationId: 'listReceipts',
    scope: 'receipts:read',
    summary: 'List receipts, newest first; a receipt is verified when it is read, not in the list',
    query: { type: 'object', additionalProperties: false, properties: { ...pageQuery, ...filterQuery } },
    response: component('ReceiptList', {
      receipts: listOf('The receipts, newest first', listedReceipt),
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last page' }),
    }),
    async handle({ principal, query }) {
      const { limit, cursor } = query;
      const filter = { ...filterOf(query), before: idOfCursor(cursor, 'rec_'), limit };
      const lists = whoseLists(principal, kindsWith(trust.facts));
      const pages = await Promise.all(lists.map((whose) => listReceipts({ ...filter, ...whose })));
      const page = mergePages(pages, limit, ({ receipt_id }) => receipt_id);
      return { receipts: page.items, ...nextOf(page) };
    },
  });

// A caller sees its tenant's receipts, and the installation's own for the acts that it has a scope for.
function whoseLists({ scopes, tenant }: Principal, kinds: Kinds): readonly Pick<ListFilter, 'tenant' | 'ownKinds'>[] {
  if (holds(scopes, '*')) return [{}];
  const named = [...kinds].filter(([, kind]) => kind.scopes.some((scope) => holds(scopes, scope)));
  return [{ tenant }, ...(named.length === 0 ? [] : [{ ownKinds: named.map(([name]) => name) }])];
}

const keysRoute = (keys: KeySet): Route =>
  defineRoute({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'getPublicKeys',
    service: 'shared',
    public: true,
    summary: 'List the public keys that verify receipts, also retired ones',
    response: keySetSchema,
    handle: () => reply({ headers: fresh, body: keys }),
  });
