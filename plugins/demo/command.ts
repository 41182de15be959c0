import { setTimeout as pause } from 'node:timers/promises';
import { defineCommand, timestamp, type CommandCall } from '../../kernel/index.ts';
import { makeHistory } from './history.ts';
import { openHome, type DemoHome } from './home.ts';
import { openServer, type DemoServer } from './server.ts';
import { dayMs } from './stage.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;
// As after a server: what a provider left open keeps no process alive.
const leaveMs = 2000;
// EX_USAGE of sysexits.h.
const exitUsage = 64;

/** `orb demo`: serves a temporary home with simulated history until Ctrl-C, and removes it. */
export const demo = defineCommand({
  path: 'demo',
  summary: 'show all screens with simulated history; it needs no home, and leaves nothing',
  options: [
    { flag: '--days <n>', description: 'days of history, 1 to 60', default: '30' },
    { flag: '--seed <n>', description: 'number that the history follows from', default: '1' },
    { flag: '--port <n>', description: 'port on 127.0.0.1; without it a free one' },
    {
      flag: '--at <time>',
      description: 'the time at which the history ends and the clock stops; without it now, and the clock goes on',
      time: 'past',
    },
  ],
  async run(call) {
    const [days, seed, port] = [numberOf(call, 'days', 1, 60), numberOf(call, 'seed', 0), numberOf(call, 'port', 0)];
    if (days === undefined || seed === undefined || port === undefined) return exitUsage;
    const at = typeof call.options['at'] === 'string' ? Date.parse(call.options['at']) : undefined;
    const end = at ?? Date.now();
    const begin = Math.floor(end / dayMs) * dayMs - (days - 1) * dayMs;
    const home = openHome(call.env['ORB_HOME']);
    try {
      return await shown(call, { home, begin, end, seed, port, stands: at !== undefined });
    } finally {
      home.remove();
      setTimeout(() => process.exit(), leaveMs).unref();
    }
  },
});

// Answers the number of an option, 0 without it; undefined when it is none.
function numberOf(call: CommandCall, name: string, least: number, most = 65_535): number | undefined {
  const value = Number(call.options[name] ?? 0);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  call.note(`--${name}: must be a number from ${least} to ${most}`);
  return undefined;
}

interface Wanted {
  readonly home: DemoHome;
  readonly begin: number;
  readonly end: number;
  readonly seed: number;
  readonly port: number;
  /** The clock stops at the end of the history. */
  readonly stands: boolean;
}

async function shown(call: CommandCall, wanted: Wanted): Promise<number> {
  const stopped = signalled();
  const server = await openServer(call, wanted);
  try {
    const told = call.bar?.part('simulated history');
    await makeHistory(server.stage, (done, of) => told?.(done, of), stopped.isSo);
    if (!wanted.stands) server.stage.time.release();
    if (!stopped.isSo()) await settled(server);
    if (!stopped.isSo()) await tell(call, server, wanted.home);
    await stopped.promise;
    return 0;
  } finally {
    await server.close();
  }
}

function signalled() {
  let isSo = false;
  const promise = new Promise<void>((resolve) => {
    for (const signal of signals)
      process.once(signal, () => {
        isSo = true;
        resolve();
      });
  });
  return { promise, isSo: () => isSo };
}

const settleMs = 20_000;

// The ledger takes the snapshot of the last whole day a moment after it has counted the runs.
async function settled({ stage: { api, begin, end } }: DemoServer): Promise<void> {
  const last = timestamp(end - dayMs).slice(0, 10);
  if (end - dayMs < begin) return;
  for (const until = performance.now() + settleMs; performance.now() < until; await pause(50)) {
    const { snapshot } = await api<{ readonly snapshot?: { readonly day: string } }>(
      'GET',
      '/reputation/notify.email@1.0.0',
    );
    if (snapshot !== undefined && snapshot.day >= last) return;
  }
}

async function tell(call: CommandCall, { stage: { api }, url }: DemoServer, home: DemoHome): Promise<void> {
  const { url: console } = await api<{ readonly url: string }>('POST', '/console/links', {});
  const key = `${home.path}/data/state/admin.key`;
  const text = [
    'Demonstration: everything on this server is simulated.',
    `  console    ${console}`,
    `             (once, within 60 seconds; again: ORB_URL=${url} ORB_KEY=$(cat ${key}) orb console open)`,
    `  pages      ${url}`,
    `  admin key  ${key}`,
    '  end        Ctrl-C, which removes it',
  ];
  call.print({ url, console, admin_key_file: key, home: home.path }, text.join('\n'));
}
