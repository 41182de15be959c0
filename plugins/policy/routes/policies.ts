import {
  conditionOf,
  defineRoute,
  exactly,
  expectTag,
  given,
  operation,
  optional,
  reply,
  timestamp,
  type Route,
  integer,
} from '../../../kernel/index.ts';
import { invalid } from '../changes/changes.ts';
import { withMode } from '../decide/mode.ts';
import { etagOf, sha256, testsPathOf } from '../revisions/revision.ts';
import policyStore from '../store.ts';
import { activating, changeFor, changeProblems, noPolicy, reading, writing, type RouteScope } from './scope.ts';
import { detailed, draftRequest, params, revised } from './policy-schema.ts';
import { diagnostics, modes, policyId, policyInfo, type Draft, type PolicyFile } from '../shapes.ts';
import { problems } from '../problems.ts';

/** Makes the routes of single policies. */
export function policyRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), readRoute(scope), putRoute(scope), dropRoute(scope), deleteRoute(scope), modeRoute(scope)];
}

const listRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies',
    operationId: 'listPolicies',
    summary: 'List active policies and drafts',
    query: exactly({
      limit: optional(integer(1, 100, 20, 'Number of items on a page')),
      offset: optional({ type: 'integer', minimum: 0, default: 0, description: 'Number of items to skip' }),
    }),
    response: exactly('PolicyPage', {
      policies: { type: 'array', description: 'The policies, sorted by id', items: policyInfo },
      total: { type: 'integer', description: 'Number of items on all pages' },
      limit: { type: 'integer', description: 'Number of items on a page' },
      offset: { type: 'integer', description: 'Number of items skipped' },
    }),
    async handle({ query: { limit, offset } }) {
      const drafts = new Set((await scope.reads.drafts()).map(({ id }) => id));
      const ids = [...new Set([...(scope.engine.active?.policies.map(({ id }) => id) ?? []), ...drafts])].sort();
      const policies = ids.slice(offset, offset + limit).map((id) => infoOf(scope, id, drafts.has(id)));
      return { policies, total: ids.length, limit, offset };
    },
  });

function infoOf({ engine, changes }: RouteScope, id: string, draft: boolean): object {
  const found = engine.active?.policies.find((policy) => policy.id === id);
  const text = fileOf(engine, changes.pathOf(id));
  const tests = fileOf(engine, testsPathOf(changes.pathOf(id)));
  return {
    ...found,
    id,
    active: found !== undefined,
    draft,
    ...(found === undefined ? {} : { tests: tests !== undefined }),
    ...(text === undefined ? {} : { digest: sha256(text) }),
  };
}

function fileOf(engine: RouteScope['engine'], path: string): string | undefined {
  return engine.active?.files.find((file) => file.path === path)?.source;
}

async function known({ engine, reads, changes }: RouteScope, id: string): Promise<{ text?: string; waiting?: Draft }> {
  const waiting = await reads.draft(id);
  const text = fileOf(engine, changes.pathOf(id));
  if (text === undefined && waiting === undefined) throw noPolicy(`policy ${id}; GET /policies lists them`);
  return given({ text, waiting });
}

const readRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies/{id}',
    operationId: 'getPolicy',
    summary: 'Read a policy and its draft; `Accept: text/plain` returns only the Rego',
    params,
    response: detailed,
    forms: { 'text/plain': { type: 'string' } },
    sends: { ETag: true },
    problems: [problems.policy_not_found],
    async handle({ params: { id }, headers }) {
      const { text, waiting } = await known(scope, id);
      if (headers['accept'] === 'text/plain')
        return reply({ type: 'text/plain; charset=utf-8', body: text ?? waiting?.source ?? '' });
      const tests = fileOf(scope.engine, testsPathOf(scope.changes.pathOf(id)));
      const body = {
        ...infoOf(scope, id, waiting !== undefined),
        ...given({ source: text, tests_source: tests, waiting: waiting && { ...waiting, id: undefined } }),
      };
      // If-Match of PUT names the draft.
      return waiting === undefined ? body : reply({ headers: { ETag: etagOf(waiting) }, body });
    },
  });

function putRoute(scope: RouteScope): Route {
  const { changes, reads, store, clock } = scope;
  return defineRoute({
    ...writing,
    method: 'PUT',
    path: '/policies/{id}',
    operationId: 'putPolicyDraft',
    live: true,
    summary: 'Create or replace the draft of a policy; it has no effect until it is activated',
    params,
    body: draftRequest,
    textMember: 'source',
    reads: ['If-Match', 'If-None-Match'],
    also: [201],
    sends: { ETag: true },
    response: exactly('PolicyDraftChange', {
      id: { ...policyId, description: 'Id of the policy' },
      diagnostics: { ...diagnostics, description: 'Findings in the policies' },
    }),
    problems: [problems.policy_invalid, 'precondition_failed', problems.policy_compiler_unavailable],
    async handle({ params: { id }, body, principal, headers }) {
      const condition = conditionOf(headers);
      const before = await reads.draft(id);
      expectTag(condition, before && etagOf(before));
      const drafts = (await reads.drafts()).filter((other) => other.id !== id);
      // A draft with the same text under another id is this draft before a rename: keeping both would define one
      // package twice.
      const renamed = drafts.filter((other) => other.source === body.source);
      const tests = body.tests ?? renamed[0]?.tests;
      const { source: text, message } = body;
      const made: Draft = {
        id,
        source: text,
        ...given({ tests, message }),
        updated_at: timestamp(clock.now()),
        updated_by: principal.id,
      };
      const others = drafts.filter((other) => !renamed.includes(other));
      const built = await changes.check(changes.withDrafts([...others, made]));
      if (built.revision === undefined) throw invalid(built.diagnostics);
      const [created] = await store.write([operation(policyStore, 'putDraft', { condition, draft: made, renamed })]);
      return reply({
        status: created ? 201 : 200,
        headers: { ETag: etagOf(made) },
        body: { id, diagnostics: built.diagnostics },
      });
    },
  });
}

const dropRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...writing,
    method: 'DELETE',
    path: '/policies/{id}/draft',
    operationId: 'dropPolicyDraft',
    live: true,
    summary: 'Delete the draft of a policy',
    params,
    status: 204,
    problems: [problems.policy_not_found],
    async handle({ params: { id } }) {
      const [dropped] = await scope.store.write([operation(policyStore, 'dropDraft', { id })]);
      if (!dropped) throw noPolicy(`draft of the policy ${id}; GET /policies lists policies and drafts`);
      return reply({ status: 204 });
    },
  });

const deleteRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...activating,
    method: 'DELETE',
    path: '/policies/{id}',
    operationId: 'deletePolicy',
    summary: 'Disable a policy: activate a new revision without its file and its tests',
    params,
    response: revised,
    problems: [problems.policy_not_found, ...changeProblems],
    handle: (call) =>
      edited(scope, call, (files, path) => {
        const gone = new Set([path, testsPathOf(path)]);
        return files.filter((file) => !gone.has(file.path));
      }),
  });

const modeRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...activating,
    method: 'PUT',
    path: '/policies/{id}/mode',
    operationId: 'setPolicyMode',
    summary: 'Change the mode of a policy: activate a new revision with the mode in its METADATA',
    params,
    body: exactly({ mode: { enum: modes, description: 'The new mode' } }),
    response: revised,
    problems: [problems.policy_not_found, ...changeProblems],
    handle: (call) =>
      edited(scope, call, (files, path) =>
        files.map((file) => (file.path === path ? { path, source: withMode(file.source, call.body.mode) } : file)),
      ),
  });

/** Activates the active files with one policy's file edited. Throws 404 `policy_not_found`. */
async function edited(
  scope: RouteScope,
  call: Parameters<typeof changeFor>[1] & { readonly params: { readonly id: string } },
  edit: (files: readonly PolicyFile[], path: string) => readonly PolicyFile[],
): Promise<{ readonly revision: string }> {
  const { id } = call.params;
  const { revision } = await changeFor(scope, call, () => {
    const path = scope.changes.pathOf(id);
    if (fileOf(scope.engine, path) === undefined) throw noPolicy(`active policy ${id}; GET /policies lists them`);
    return { files: edit(scope.engine.active?.files ?? [], path) };
  });
  return { revision: revision.digest };
}
