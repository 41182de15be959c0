import type { Client } from '../../../kernel/index.ts';
import type { Harness } from './harness.ts';

const admin = { tenant: 'default', scopes: ['*'] };

/** Speaks to the receipts plugin as `orb receipts get` speaks to a server; counts what was asked. */
export function clientOf(receipts: Harness, asked: string[] = []): () => Client {
  return () => ({
    request: async <T>(method: string, path: string) => {
      asked.push(`${method} ${path}`);
      const { pathname, searchParams } = new URL(path, 'http://server');
      const query = Object.fromEntries([...searchParams].map(([name, value]) => [name, Number(value)]));
      const [, first, second = ''] = pathname.split('/');
      if (first === 'receipts')
        return (await receipts.call('/receipts/{receipt_id}', { receipt_id: second }, admin)) as T;
      const answer = await receipts.call('/log/{shard}/proof/consistency', { shard: second }, {}, query);
      return (answer as { body: T }).body;
    },
    open: () => Promise.reject(new Error('not asked')),
    download: () => Promise.reject(new Error('nothing is downloaded')),
  });
}
