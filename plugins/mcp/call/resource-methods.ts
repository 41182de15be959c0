import { holds, reply, type Principal, type Reply } from '../../../kernel/index.ts';
import type { McpScope, Request } from '../scope.ts';
import { listTtlMs, type ToolList } from '../tools/tool-lists.ts';
import { codes, RpcFault, type Id } from '../wire/wire.ts';
import { answerTo } from './result.ts';

type ResourceRequest = Request & { readonly id: Id };

const prefix = 'orb://receipts/';
const mimeType = 'application/json';
const newest = 50;
// Code of the revisions before 2026-07-28; SEP-2164 made it -32602.
const notFound2025 = -32002;

/**
 * Answers the methods of resources: the receipts of the caller's own runs, for a key that reads receipts. To any other
 * key there are none.
 */
export const resourceAnswers = Object.freeze({
  async 'resources/list'(request: ResourceRequest, _: ToolList, scope: McpScope): Promise<Reply> {
    const { principal } = request;
    const runs = maySee(principal, scope) ? await scope.runtime.newestRuns(principal, newest) : [];
    const resources = runs.map(({ receipt_id, orb_id, run_id, status, finished_at }) => ({
      ...{ uri: prefix + receipt_id, name: receipt_id, title: `Receipt: ${orb_id} ${status}`, mimeType },
      description: `The signed receipt of ${run_id}, which ended ${finished_at}`,
    }));
    return cached(request, { resources });
  },
  'resources/templates/list'(request: ResourceRequest, _: ToolList, scope: McpScope): Reply {
    const template = {
      ...{ uriTemplate: `${prefix}{receipt_id}`, name: 'receipt', title: 'Receipt of a run', mimeType },
      description: 'The signed receipt of a run, as `GET /receipts/{receipt_id}` answers it',
    };
    return cached(request, { resourceTemplates: maySee(request.principal, scope) ? [template] : [] });
  },
  async 'resources/read'(request: ResourceRequest, _: ToolList, scope: McpScope): Promise<Reply> {
    const { id, message, principal } = request;
    const { uri } = message.params;
    if (typeof uri !== 'string') throw new RpcFault(200, codes.params, 'uri must be a string', { id });
    const found =
      uri.startsWith(prefix) && maySee(principal, scope)
        ? await scope.receipts?.find(principal, uri.slice(prefix.length))
        : undefined;
    if (found === undefined)
      throw new RpcFault(200, message.modern ? codes.params : notFound2025, 'there is no such resource for this key', {
        ...{ id, data: { uri } },
      });
    return cached(request, { contents: [{ uri, mimeType, text: JSON.stringify(found) }] });
  },
});

function maySee({ scopes }: Principal, { receipts }: McpScope): boolean {
  return receipts !== undefined && holds(scopes, 'receipts:read');
}

function cached({ id, message }: ResourceRequest, result: object): Reply {
  const hints = message.modern ? { ttlMs: listTtlMs, cacheScope: 'private' } : {};
  return reply({ body: answerTo(id, { ...result, ...hints }, message) });
}
