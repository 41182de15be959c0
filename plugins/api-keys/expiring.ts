import { timestamp, type Clock } from '../../kernel/index.ts';
import type { KeyReads } from './store.ts';
import { concernOf, type Concern } from '../runtime/contract.ts';

const soonMs = 14 * 86_400_000;

/** The concern of keys that expire within two weeks. */
export function expiringKeys(reads: Pick<KeyReads, 'expiring'>, clock: Pick<Clock, 'now'>): Concern {
  return {
    name: 'expiring_keys',
    scope: 'keys:manage',
    link: '/keys',
    async find(tenant) {
      const now = clock.now();
      const keys = await reads.expiring({ tenant, from: timestamp(now), to: timestamp(now + soonMs), limit: 101 });
      return concernOf(
        keys.map(({ key_id: id, name, expires_at: at }) => ({ id, title: name, at, link: `/keys/${id}` })),
      );
    },
  };
}
