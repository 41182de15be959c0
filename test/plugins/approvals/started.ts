import { definePlugin } from '../../../kernel/index.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { clockAt, type SetClock } from '../schedules/started.ts';

/** What the policy of a test asks, changed between calls. */
export interface Asking {
  asks: readonly object[];
  denies: boolean;
  /** What the policy says of runs of notify Orbs. */
  notices: 'allow' | 'ask' | 'deny';
  /** The contexts that were decided on. */
  readonly seen: Readonly<Record<string, unknown>>[];
}

/** One ask with the usual members. */
export const ask = (more: object = {}): object => ({
  ...{ code: 'outside_address', message: 'mail to an address outside', approvers: 'office', of: 1 },
  ...{ expires_s: 3600, bind: 'inputs', policies: ['mail'], ...more },
});

interface Approved {
  readonly code: string;
  readonly approvers: string;
}

// Decides as the policy engine does: an ask that is answered is none.
function decider(asking: Asking) {
  return definePlugin({
    name: 'decider',
    start({ hooks }) {
      hooks.authorize.tap('decider', ({ context, resource }) => {
        asking.seen.push(context);
        const isNotice = resource.id.startsWith('notify.');
        const rest = { decision_id: String(context['decision_id']), policies: ['mail'], warns: 0, shadow_denies: 0 };
        if (isNotice ? asking.notices === 'deny' : asking.denies)
          return { allow: false, ...rest, reasons: [{ code: 'no_mail', policy: 'mail' }] };
        const answered = (context['approvals'] ?? []) as readonly Approved[];
        if (isNotice && asking.notices === 'allow') return { allow: true, ...rest };
        const open = (asking.asks as readonly Approved[]).filter(
          ({ code, approvers }) => !answered.some((one) => one.code === code && one.approvers === approvers),
        );
        return open.length === 0
          ? { allow: true, ...rest }
          : { allow: false, ...rest, reasons: [], asks: open as never };
      });
      return {};
    },
  });
}

/** A platform with a requester and two approvers. */
export interface Approving extends Pick<TestPlatform, 'call' | 'home' | 'stop'> {
  /** The platform as it is now. */
  platform(): TestPlatform;
  /** Where it listens now. */
  url(): string;
  /** The key of the operator. */
  adminKey(): string;
  /** Stops it, and starts it again with what it had stored; `off`: without the plugin. */
  restart(options?: { readonly off: true }): Promise<void>;
  readonly asking: Asking;
  readonly clock: SetClock;
  /** Keys and principals by name: `agent`, `ada`, `bob` (both of `office`), `eve` (of no group). */
  readonly keys: Readonly<Record<'agent' | 'ada' | 'bob' | 'eve', string>>;
  readonly ids: Readonly<Record<'agent' | 'ada' | 'bob' | 'eve', string>>;
  /** Runs the Orb as the agent. */
  execute(inputs: object, more?: object, key?: string): Promise<Answer>;
  /** Decides as somebody, on what the approval shows. */
  decide(id: string, who: 'agent' | 'ada' | 'bob' | 'eve', decision?: string, more?: object): Promise<Answer>;
}

const names = ['agent', 'ada', 'bob', 'eve'] as const;

/** Starts a platform whose policy asks the group `office`; its settings may depend on the ids of the people. */
export async function startApproving(
  settings: object | ((ids: Approving['ids']) => object) = {},
  { settings: more = {}, ...options }: PlatformOptions & { readonly settings?: object } = {},
): Promise<Approving> {
  const asking: Asking = { asks: [ask()], denies: false, notices: 'allow', seen: [] };
  const clock = clockAt('2026-11-23T10:00:00Z');
  const rest = { ...options, plugins: [...(options.plugins ?? []), decider(asking)], clock };
  const base = { providers: { echo: { adapter: 'echo/local' } }, authorize: 'decider', ...more };
  const first = await startPlatform({ ...rest, platform: base });
  const keys: Record<string, string> = {};
  const ids: Record<string, string> = {};
  for (const name of names) {
    const scopes = ['orbs:execute', 'runs:read', 'runs:cancel', 'receipts:read', 'runs:approve'];
    const { body } = await first.call('POST', '/keys', { name, scopes });
    keys[name] = String(body.key);
    ids[name] = String(body.principal);
  }
  await first.stop({ keep: true });
  const groups = { office: [ids['ada'], ids['bob'], ids['agent']] };
  const given: object = typeof settings === 'function' ? (settings(ids as Approving['ids']) as object) : settings;
  const plugins = { approvals: { config: { groups, ...given } } };
  const open = (used: object = plugins) =>
    startPlatform({ ...rest, home: first.home, platform: { ...base, plugins: used } });
  let platform = await open();
  const key = (who: string): string => keys[who] ?? '';
  return {
    ...{ asking, clock, home: first.home },
    platform: () => platform,
    url: () => platform.url,
    adminKey: () => platform.adminKey,
    call: (...sent) => platform.call(...sent),
    stop: (options) => platform.stop(options),
    async restart(how) {
      await platform.stop({ keep: true });
      platform = await open(how === undefined ? plugins : { approvals: false });
    },
    keys: keys as Approving['keys'],
    ids: ids as Approving['ids'],
    execute: (inputs, more = {}, as = key('agent')) =>
      platform.call('POST', '/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs, ...more }, as),
    async decide(id, who, decision = 'approve', more = {}) {
      const { body } = await platform.call('GET', `/approvals/${id}`);
      return platform.call('POST', `/approvals/${id}/decision`, { decision, digest: body.digest, ...more }, key(who));
    },
  };
}
