import { setTimeout as pause } from 'node:timers/promises';
import type { configChanges } from './reload-preview.ts';
import type { reloaded } from './reload-route.ts';
import type { providerStatus } from '../provider/status.ts';
import type { swapSchema } from './provider-routes.ts';
import { defineCommand, type Command, type CommandCall, type Infer } from '../../../kernel/index.ts';
import { apiCommand, condition, listing, Shown } from '../../terminal/contract.ts';

type Swap = Infer<typeof swapSchema>;
type Status = Infer<typeof providerStatus> & { readonly last_swap?: Swap };

const orbArgument = { name: 'orb_id', description: 'for example notify.email@1.0.0' };
const ifMatchOption = { flag: '--if-match <generation>', description: 'swap only if this generation is active' };
const pathOf = (orbId: string, rest: string): string => `/providers/${encodeURIComponent(orbId)}/${rest}`;

const status = apiCommand<Status>({
  path: 'providers status',
  summary: 'show the active provider of an Orb',
  args: [orbArgument],
  route: 'GET /providers/{orb_id}/status',
  show: ({ orb_id, active_provider, source, swap_status, providers }) =>
    new Shown((screen) =>
      [
        `${orb_id}: ${active_provider ?? 'nothing bound'} (${source}, ${swap_status})`,
        listing(
          ['PROVIDER', 'ROLE', 'ADAPTER', 'HEALTH', 'GENERATION', 'IN FLIGHT'],
          providers.map(({ name, adapter, role, health, generation, in_flight }) => [
            ...[name, role, adapter, health, String(generation), String(in_flight)],
          ]),
        ).on(screen),
        ...providers.flatMap(({ name, probe_failure, call_failure }) => [
          ...failureLine(name, 'probe', probe_failure),
          ...failureLine(name, 'call', call_failure),
        ]),
      ].join('\n'),
    ),
});

type Failure = Status['providers'][number]['call_failure'];

function failureLine(provider: string, what: string, failure: Failure): string[] {
  return failure === undefined ? [] : [`${provider}: last failed ${what}, ${failure.at}: ${failure.reason}`];
}

const swap = defineCommand({
  path: 'providers swap',
  summary: 'swap the provider of an Orb and show each state of the swap',
  args: [orbArgument, { name: 'provider', description: 'name of the provider to swap to' }],
  options: [ifMatchOption],
  run: (call) => change(call, 'swap', { provider: call.args[1] ?? '' }),
});

const rollback = defineCommand({
  path: 'providers rollback',
  summary: 'swap back to the provider bound before the last swap',
  args: [orbArgument],
  options: [ifMatchOption],
  run: (call) => change(call, 'rollback', undefined),
});

const notUsed = ': no Orb uses it yet; add it to "bindings" of platform.json, or swap an Orb to it';

const reload = apiCommand<Infer<typeof reloaded>>({
  path: 'config reload',
  summary: 'reload the providers from platform.json without a restart',
  route: 'POST /config/reload',
  show: ({ providers, unused, restart_required: restart }) =>
    [
      ...(providers.length + unused.length === 0 ? ['nothing changed'] : []),
      ...providers.map(
        ({ orb_id, provider, change: what, reason }) =>
          `${what} ${provider} for ${orb_id}${reason === undefined ? '' : `: ${reason}`}`,
      ),
      ...unused.map(({ provider, change: what }) => `${what} ${provider}${what === 'removed' ? '' : notUsed}`),
      ...(restart.length === 0 ? [] : [`a restart is needed for: ${restart.join(', ')}`]),
    ].join('\n'),
});

const changes = apiCommand<Infer<typeof configChanges>>({
  path: 'config changes',
  summary: 'show what a reload of platform.json would change, without the values of settings',
  route: 'GET /config/changes',
  show: ({ providers, orders, restart_required: restart }) =>
    [
      ...(providers.length + orders.length + restart.length === 0 ? ['a reload changes nothing'] : []),
      ...providers.flatMap(({ change: what, members, provider }) => [
        `${what} ${provider}`,
        ...members.map((member) => `  ${member.change} ${member.pointer}`),
      ]),
      ...orders.map(({ after, orb_id }) => `order of ${orb_id}: ${after.join(', ') || 'no provider'}`),
      ...(restart.length === 0 ? [] : [`a restart is needed for: ${restart.join(', ')}`]),
    ].join('\n'),
});

/** Commands of runs, of providers and of the running configuration. */
export const providerCommands: readonly Command[] = [status, swap, rollback, changes, reload];

const lookMs = 50;

async function change(call: CommandCall, verb: 'swap' | 'rollback', body: unknown): Promise<void> {
  const [orbId = ''] = call.args;
  const server = call.client();
  const shown = watcher(call.note);
  const before = (await server.request<Status>('GET', pathOf(orbId, 'status'))).last_swap?.swap_id;
  const answer = server.request<Swap>('POST', pathOf(orbId, verb), body, condition(call));
  let over = false;
  const ended = Promise.allSettled([answer]).then(() => (over = true));
  while (!over) {
    const { last_swap } = await server.request<Status>('GET', pathOf(orbId, 'status'));
    if (last_swap !== undefined && last_swap.swap_id !== before) shown(last_swap.state);
    await Promise.race([pause(lookMs), ended]);
  }
  let last = await answer;
  shown(last.state);
  while (last.state === 'draining') {
    await pause(lookMs);
    last = await server.request<Swap>('GET', `/swaps/${last.swap_id}`);
    shown(last.state);
  }
  const unchanged = last.changed === false ? 'no change: it was already active and was opened again' : '';
  const swapped = `${last.swap_id}: ${last.from ?? 'nothing'} → ${last.to}, generation ${last.generation}`;
  call.print(last, unchanged === '' ? swapped : `${swapped} (${unchanged})`);
}

// Shows each state once, in the order in which they were seen.
function watcher(note: (text: string) => void): (state: string) => void {
  let seen = '';
  return (state) => {
    if (state !== seen) note(state);
    seen = state;
  };
}
