import type { Clock } from '../../../kernel/index.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { createProbe, type Probe } from './probe.ts';

/** A platform whose clock the test holds. */
export interface Market {
  readonly platform: TestPlatform;
  readonly probe: Probe;
  /** Moves the clock on. */
  pass(ms: number): void;
  /** Lets the day end, and waits for its snapshot. */
  endDay(): Promise<void>;
  /** Resolves once a condition holds; fails after 100 s. */
  until(what: string, fits: () => boolean | Promise<boolean>): Promise<void>;
  profile(orbId: string, key?: string | null): Promise<Answer>;
}

const dayMs = 86_400_000;

/** Starts it at 12:00 UTC of the first day of 2026. */
export async function startMarket(options: PlatformOptions = {}): Promise<Market> {
  const probe = createProbe();
  let now = Date.UTC(2026, 0, 1, 12);
  const clock: Clock = { now: () => now, monotonic: () => performance.now() };
  const platform = await startPlatform({ clock, ...options, plugins: [probe.plugin, ...(options.plugins ?? [])] });
  return {
    platform,
    probe,
    until: async (what, fits) => void (await until(fits, (fit) => fit, what, 10)),
    pass(ms) {
      now += ms;
    },
    async endDay() {
      const day = new Date(now).toISOString().slice(0, 10);
      now += dayMs;
      // Any entry of the log wakes the ledger.
      const facts = { change: 'granted' as const, owner: { tenant: 'default' } };
      const at = new Date(now).toISOString();
      const fact = { kind: 'namespace' as const, tenant: 'default', at, namespace: 'nobody', facts };
      await probe.platform().attest({ fact, operations: () => [] });
      await until(
        () => probe.reputation().snapshot()?.day ?? '',
        (found) => found >= day,
        `the snapshot of ${day}`,
      );
      await probe.reputation().settled();
    },
    profile: (orbId, key) => platform.call('GET', `/reputation/${encodeURIComponent(orbId)}`, undefined, key),
  };
}
