import type { Awaitable, Operation, Route } from '../../../../kernel/index.ts';
import type { DecisionQuery } from '../../../../plugins/policy/decisions/decision-log.ts';
import type { PolicyInfo } from '../../../../plugins/policy/contract.ts';
import type { RouteScope } from '../../../../plugins/policy/routes/scope.ts';
import type { Revision } from '../../../../plugins/policy/revisions/revision.ts';
import type { Draft, PolicyFile } from '../../../../plugins/policy/shapes.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';
import policyStore from '../../../../plugins/policy/store.ts';

/** Time of everything in the world. */
export const at = '2026-11-20T10:00:00.000Z';

/** A file of the folder. */
export const file = (path: string, source = `package ${path}`): PolicyFile => ({ path, source });

/** A policy of a file. */
export const policy = (id: string): PolicyInfo => ({
  id,
  path: `${id}.rego`,
  package: id,
  mode: 'enforce',
  rules: ['allow'],
});

/** The digest of a revision by its first digits. */
export const digestOf = (digits: string): string => `sha256:${digits.padEnd(64, '0')}`;

/** What a change was asked for. */
export interface Asked {
  readonly files: readonly string[];
  readonly drafts: readonly string[] | undefined;
  readonly how: object;
}

/** Routes on a store in memory, with an engine that serves a revision and takes every change; `valid`: of its gates. */
export function createWorld({ valid = true } = {}) {
  const store = openInMemory(policyStore, () => Date.parse(at));
  const asked: Asked[] = [];
  const checked: (readonly string[])[] = [];
  const engine: { active: Revision | undefined; rejected: object | undefined; precompiled: boolean } = {
    ...{ active: undefined, rejected: undefined, precompiled: false },
  };
  const pathOf = (id: string): string => `${id}.rego`;
  const withDrafts = (drafts: readonly Draft[]): readonly PolicyFile[] => {
    const paths = new Set(drafts.map(({ id }) => pathOf(id)));
    const kept = (engine.active?.files ?? []).filter(({ path }) => !paths.has(path));
    return [...kept, ...drafts.map(({ id, source }) => ({ path: pathOf(id), source }))];
  };
  const changes = {
    pathOf,
    withDrafts,
    check(files: readonly PolicyFile[]) {
      checked.push(files.map(({ path, source }) => `${path} ${source}`));
      const diagnostics = [{ severity: valid ? 'warning' : 'error', code: 'x', message: 'x' }];
      return Promise.resolve({ revision: valid ? {} : undefined, diagnostics, tests: [], policies: [] });
    },
    // As the real one does, the wanted files are asked for when it is the change's turn.
    change: async (
      wanted: () => Awaitable<{ files: readonly PolicyFile[]; drafts?: readonly Draft[] }>,
      how: object,
    ) => {
      const { files, drafts } = await wanted();
      asked.push({
        files: files.map(({ path, source }) => `${path} ${source}`),
        drafts: drafts?.map(({ id }) => id),
        how,
      });
      return { revision: { digest: 'sha256:new' }, previous: engine.active?.digest };
    },
  };
  const scope = {
    engine,
    changes,
    reads: store.reads,
    lists: { decisions: async (query: DecisionQuery) => store.reads.decisions(query) },
    clock: { now: () => Date.parse(at) },
    store: {
      write: (operations: readonly Operation[]) =>
        Promise.all(operations.map(({ name, args }) => store.operations[name as 'putDraft'](args as never))),
    },
    source: { state: () => 'wasm', compiler: () => undefined },
    pool: { queued: () => 3 },
    decider: { active: () => undefined },
    tally: { hits: 1, misses: 2, timeouts: 4 },
  } as unknown as RouteScope;
  /** Keeps a revision in the store, activates it there, and has the engine serve it. */
  const serve = (digits: string, files: readonly PolicyFile[], policies: readonly PolicyInfo[] = []): string => {
    const digest = digestOf(digits);
    const compiled = { data: {}, policies, entrypoints: {} };
    const kept = { digest, files, compiled, wasm: new Uint8Array([1]), message: null, pending: false };
    store.operations.activate({ ...kept, at, actor: 'folder' });
    engine.active = { ...compiled, digest, files, wasm: kept.wasm };
    return digest;
  };
  const draft = async (id: string, source = `package ${id}`, more: Partial<Draft> = {}): Promise<Draft> => {
    const made: Draft = { id, source, updated_at: at, updated_by: 'prn_1', ...more };
    await store.operations.putDraft({ condition: {}, draft: made, renamed: [] });
    return made;
  };
  return { ...{ scope, engine, asked, checked, serve, draft }, reads: store.reads, operations: store.operations };
}

/** Calls a route by its operation id; the answer, or the code of the problem. */
export async function call(routes: readonly Route[], operationId: string, given: object = {}): Promise<never> {
  const route = routes.find((one) => one.operationId === operationId);
  if (route === undefined) throw new Error(`there is no route ${operationId}`);
  const principal = { id: 'prn_1', tenant: 'acme', scopes: ['*'] };
  const whole = { params: {}, query: {}, headers: {}, body: {}, principal, ...given };
  try {
    return (await route.handle(whole as never)) as never;
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === undefined) throw error;
    return code as never;
  }
}
