import { expect } from 'chai';
import type { HookName as KernelHook } from '../../kernel/hooks.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

type HookName = KernelHook | 'runSettled';

/** One request at the front door and what it comes to. */
export interface Scenario {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Uint8Array;
  readonly type?: string | null;
  /** null: no key. */
  readonly key?: 'echo' | 'narrow' | 'nothing' | null | { readonly raw: string };
  readonly status: number;
  readonly problem?: string;
  /** How often each hook must fire; what is not named must not. */
  readonly hooks?: Partial<Record<HookName, number>>;
}

/** The body of a run that is good. */
export const good = '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"}}';

/** What fires when the caller is known and no more comes of it. */
export const known: Partial<Record<HookName, number>> = { authenticate: 1 };
/** Of a key that no plugin knows: each that could know it is asked. */
export const unknown: Partial<Record<HookName, number>> = { authenticate: 2, explainCredential: 1 };

/** What fires for a whole run: the listener that ships keeps recent spans. */
export const full: Partial<Record<HookName, number>> = { authenticate: 1, authorize: 1, attest: 1, runSettled: 4 };

/** Starts a platform before all tests of the describe it is called in, and tests each scenario at it; answers how to get at it. */
export function itAnswers(scenarios: readonly Scenario[]): () => TestPlatform {
  let platform: TestPlatform;
  const keys: Record<string, string> = {};
  before(async () => {
    platform = await startPlatform();
    keys['echo'] = await platform.key({ scopes: ['orbs:execute'] });
    keys['narrow'] = await platform.key({ scopes: ['orbs:execute:demo.*'] });
    keys['nothing'] = await platform.key({ scopes: ['runs:read'] });
  });
  after(() => platform.stop());

  for (const {
    name,
    method = 'POST',
    path = '/orbisets/default/execute',
    body,
    type = 'application/json',
    key,
    status,
    problem,
    hooks = {},
  } of scenarios) {
    it(`${name}: ${status} ${problem ?? ''}`, async () => {
      platform.taps.clear();
      const headers: Record<string, string> = {};
      if (type !== null && body !== undefined) headers['content-type'] = type;
      const presented =
        key === undefined
          ? platform.adminKey
          : key === null
            ? undefined
            : typeof key === 'string'
              ? keys[key]
              : key.raw;
      if (presented !== undefined) headers['authorization'] = `Bearer ${presented}`;
      const response = await fetch(platform.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
      const text = await response.text();
      expect(response.status, text).to.equal(status);
      if (problem !== undefined) {
        expect(response.headers.get('content-type')).to.equal('application/problem+json');
        const told = JSON.parse(text) as Record<string, unknown>;
        expect(told).to.include({ code: problem, status });
        expect(told).to.include.keys('type', 'title', 'detail', 'request_id', 'retryable');
      }
      expect(text).not.to.match(/\.ts:\d|node_modules|\bat [A-Z]\w+ \(/);
      expect(Object.fromEntries(platform.taps)).to.deep.equal(hooks);
    });
  }
  return () => platform;
}
