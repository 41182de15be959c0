import type { Clock } from '../../../../kernel/index.ts';

// Enough to fill a commit, and few enough that later writes need not wait long.
const share = 8;
const contendedMs = 100;

interface Tenant {
  /** Time of its last request. */
  at: number;
  working: number;
  readonly waiting: (() => void)[];
}

/**
 * Shares the writer between tenants: while several record results at once, none has more than 8 under way, so that a
 * tenant with many runs delays only its own. A single active tenant is not held back.
 */
export class TenantShare {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #tenants = new Map<string, Tenant>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Takes a turn of a tenant, immediately or when another turn of the tenant ends; the caller must then call `leave`.
   */
  enter(name: string): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    const tenant = this.#tenants.get(name) ?? { at: now, working: 0, waiting: [] };
    this.#tenants.set(name, tenant);
    tenant.at = now;
    if (tenant.working < share || !this.#contended(name, now)) {
      tenant.working += 1;
      return undefined;
    }
    return new Promise((resolve) => tenant.waiting.push(resolve));
  }

  /** Ends a turn. The next waiting call of the same tenant takes it, or all of them when no other tenant is active. */
  leave(name: string): void {
    const tenant = this.#tenants.get(name);
    if (tenant === undefined) return;
    tenant.working -= 1;
    const now = this.#clock.monotonic();
    const free = this.#contended(name, now) ? share - tenant.working : tenant.waiting.length;
    for (const go of tenant.waiting.splice(0, Math.max(0, free))) {
      tenant.working += 1;
      go();
    }
  }

  #contended(name: string, now: number): boolean {
    if (this.#tenants.size < 2) return false;
    for (const [other, { at, working }] of this.#tenants) {
      if (other === name) continue;
      if (working > 0 || now - at <= contendedMs) return true;
      this.#tenants.delete(other);
    }
    return false;
  }
}
