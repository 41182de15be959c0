import type { KeyReads } from './store.ts';
import type { Named, SearchSource } from '../runtime/contract.ts';

const scope = 'keys:manage';
const newest = 1000;

/** Makes what `GET /search` finds of keys: the newest keys by their names, and the callers they act for. */
export function findableKeys(reads: Pick<KeyReads, 'list'>): readonly SearchSource[] {
  const list = ({ scopes, tenant }: Parameters<SearchSource['list']>[0]) =>
    reads.list({ tenant: scopes.includes('*') ? undefined : tenant, limit: newest });
  return [
    {
      kind: 'key',
      scope,
      list: async (caller) => (await list(caller)).map(({ key_id: id, name }) => ({ id, name })),
    },
    {
      kind: 'principal',
      scope,
      async list(caller) {
        const found = new Map<string, Named>();
        for (const { principal: id, principal_name: name } of await list(caller)) found.set(id, { id, name });
        return found.values();
      },
    },
  ];
}
