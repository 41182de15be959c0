import { canonical } from '../../tools/canonical.ts';
import type { Provider } from './adapter.ts';

/** What became of one Orb's provider by a reload. */
export interface Reloaded {
  readonly orb_id: string;
  readonly provider: string;
  readonly change: 'renewed' | 'added' | 'removed' | 'failed';
  readonly generation?: number;
  readonly reason?: string;
}

/** Says whether two providers are the same opening: name, adapter, and configuration with its secrets resolved. */
export function sameProvider(one: Provider, other: Provider): boolean {
  return (
    one.name === other.name &&
    one.adapter === other.adapter &&
    canonical(one.limits ?? {}) === canonical(other.limits ?? {}) &&
    canonical(one.config ?? {}) === canonical(other.config ?? {})
  );
}
