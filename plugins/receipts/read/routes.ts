import {
  defineRoute,
  holds,
  idOfCursor,
  mergePages,
  nextOf,
  pageQuery,
  reply,
  type JsonSchema,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import { exactly, optional, component, listOf } from '../format/exactly.ts';
import { receiptDocumentOf } from '../contract.ts';
import type { Kinds } from '../kinds/kind.ts';
import { changesRoute } from './changes.ts';
import { discloser } from './disclose.ts';
import { bundleOf, proofFileOf } from './export-formats.ts';
import type { KeySet } from '../format/jwk.ts';
import { keySetSchema } from '../format/key-set.ts';
import { fresh, inclusionProof, logKeys, logRoutes, outOfRange } from './log-routes.ts';
import { filterOf, filterQuery, listedReceipt, type ListFilter } from '../log/rows/filter.ts';
import { damaged } from '../log/stored/read-proof.ts';
import type { ReceiptReader } from './reader.ts';
import type { Serving } from './serving.ts';
import { verifyRoute } from '../verify-service/route.ts';
import type { LargeVerifier } from '../verify-service/thread.ts';
import { problems } from '../problems.ts';

const read = { method: 'GET', service: 'runtime' } as const;
/** Path parameter of the routes of one receipt. */
export const receiptParams = exactly({ receipt_id: { type: 'string', maxLength: 64, description: '`rec_<ulid>`' } });

/** What reads receipts for callers, and verifies what they send; one of `scopes` suffices to request a receipt. */
export type Reading = {
  readonly reader: ReceiptReader;
  readonly verifier: LargeVerifier;
  readonly scopes: readonly string[];
};

/** Makes the routes: receipts, verified on every read; their list and proofs; the public keys. */
export function routes(serving: Serving, reading: Reading): Route[] {
  const { keys, reads } = serving;
  return [
    receiptRoute(serving, reading),
    proofRoute(serving, reading),
    listRoute(serving),
    changesRoute(serving),
    verifyRoute(keys.trust, reads.ownLog, reading.verifier),
    ...logRoutes(reads),
    keysRoute(keys.published),
  ];
}

const sigstoreBundle = {
  title: 'SigstoreBundle',
  type: 'object',
  description: 'A Sigstore bundle v0.3',
  required: ['mediaType', 'dsseEnvelope'],
  // ogen distinguishes this form from a receipt by its own member.
  properties: {
    mediaType: { type: 'string', description: 'Kind and version of the bundle' },
    dsseEnvelope: { type: 'object', description: 'What is signed' },
  },
  additionalProperties: true,
} as const satisfies JsonSchema;

const receiptRoute = ({ kinds, log, reads, store }: Serving, { reader, scopes }: Reading): Route => {
  const disclose = discloser(reads, store.sealer, log);
  return defineRoute({
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
    response: { oneOf: [receiptDocumentOf([...kinds.keys()]), sigstoreBundle] },
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
};

const proofRoute = ({ reads }: Serving, { reader, scopes }: Reading): Route =>
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
        throw outOfRange(`the size must be from ${row.idx + 1} to ${log.size} for this receipt`);
      return { origin: log.origin, index: row.idx, size, ...(await reads.inclusion(log, row.idx, size)) };
    },
  });

const listRoute = ({ kinds, lists: { listReceipts } }: Serving): Route =>
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
      const lists = whoseLists(principal, kinds);
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
