import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageDir, readConfig } from '../config/config.ts';
import type { Kernel } from '../kernel.ts';
import { PlatformError } from '../error.ts';
import { load } from '../boot/loader.ts';
import type { Environment } from '../config/state-dir.ts';
import { prepareWriter } from '../store/serving/writer-link.ts';
import { apiServices } from '../http/route/route.ts';
import { compileWaiting, prepareCompilers } from '../tools/schema.ts';
import { defineCommand, type Command, type CommandCall, type Installation } from './command/command.ts';
import { failureLine } from './failure.ts';
import type { Builtin } from '../boot/loaded.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;
const echoMs = 1000;
const leaveMs = 2000;
const fencedMs = 1000;
// Compiling all schemas takes a third of a second of a processor: not while the first requests come.
const settledMs = 15_000;
// The next start waits for its turn: another one took the place, or the store could not be used (EX_TEMPFAIL).
const exitTemporary = 75;

/** Makes `orb serve`: runs the platform until SIGTERM or SIGINT. */
export function serve(builtin: Builtin): Command {
  return defineCommand({
    path: 'serve',
    group: { name: 'serve', task: 'operate' },
    summary: 'start the server; it runs until SIGTERM or SIGINT',
    options: [
      {
        flag: '--listen <address>',
        description: 'address of the only listener, host:port; overrides ORB_LISTEN',
      },
    ],
    async run(call) {
      try {
        return await serveUntilSignal(call, builtin);
      } catch (error) {
        if (!isTemporary(error)) throw error;
        call.note(`orb: ${failureLine(error)}; start it again`);
        return exitTemporary;
      } finally {
        // Resources that a plugin or adapter left open would keep a process alive that serves no request.
        setTimeout(() => process.exit(), leaveMs).unref();
      }
    },
  });
}

/** Whether a start failed by what passes: the database is away, or the clock of the machine is wrong. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof PlatformError) return /^(storage_unavailable|overloaded)$/.test(error.code);
  // The error of a plugin's start has the failure as its cause.
  return error instanceof Error && error.cause !== undefined && isTemporary(error.cause);
}

async function serveUntilSignal(call: CommandCall, builtin: Builtin): Promise<number> {
  // The writer thread loads its modules in the meantime.
  prepareWriter(builtin.stores);
  prepareCompilers();
  const { config, loaded } = await read(call, builtin);
  const stopped = signalled();
  // Late: no other command needs the server.
  const { createKernel } = await import('../kernel.ts');
  const starting = createKernel({
    config,
    loaded,
    commands: call.installation.commands,
    reread: () => read(call, builtin),
  });
  const kernel = await Promise.race([starting, stopped]);
  // It waits for a database that another process has, or makes a store, which no end can damage.
  if (kernel === undefined) return 0;
  outlive(kernel.uncaught);
  removeOlder(config.stateDir, packageDir);
  welcome(call, kernel, config.home);
  tellSupervisor(call.env, 'ready');
  setTimeout(() => void compileWaiting(), settledMs).unref();
  const code = await Promise.race([stopped.then(() => 0), kernel.lost.then(() => exitTemporary)]);
  tellSupervisor(call.env, 'stopping');
  // Nothing that a fenced process still does can be recorded: it drains nothing.
  if (code === exitTemporary) setTimeout(() => process.exit(exitTemporary), fencedMs);
  await kernel.stop();
  return code;
}

/** Makes what starts a server for a command that stops it: of another home, in a time of its own. */
export function simulating(builtin: Builtin, commands: readonly Command[]): Installation['simulate'] {
  return async (env, own) => {
    const reread = () => read({ env, options: {} }, builtin);
    const { createKernel } = await import('../kernel.ts');
    return createKernel({ ...own, ...(await reread()), commands, reread });
  };
}

// The last safeguard: an error of one adapter's listener, or a write to a closed terminal, must not end all runs.
function outlive(uncaught: Kernel['uncaught']): void {
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, uncaught);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

async function read({ env, options: { listen } }: Pick<CommandCall, 'env' | 'options'>, builtin: Builtin) {
  const faults: string[] = [];
  const wanted = typeof listen === 'string' ? { ...env, ORB_LISTEN: listen } : env;
  const config = readConfig(wanted, process.cwd(), faults);
  // Replacing the listeners of the file would leave out their TLS.
  if (typeof listen === 'string' && !config.listen.some(({ address }) => address === listen))
    faults.push(`--listen ${listen}: platform.json/listen sets other listeners; change them there`);
  return { config, loaded: await load(config, builtin, faults) };
}

// A launcher passes Ctrl-C on, too, so a signal within a moment is the same one; a later one ends the process at once.
function signalled(): Promise<undefined> {
  return new Promise((resolve) => {
    const hear = (): void => {
      resolve(undefined);
      setTimeout(() => signals.forEach((signal) => process.off(signal, hear)), echoMs).unref();
    };
    for (const signal of signals) process.on(signal, hear);
  });
}

function welcome({ stateDir, print }: CommandCall, { listeners, routes }: Kernel, home: string): void {
  const shown = listeners.map(({ url, services }) => ({ url: callable(url), services }));
  const url = (shown.find(({ services }) => services.includes('runtime')) ?? shown[0])?.url ?? '';
  const whole = shown.find(({ services }) => apiServices.every((service) => services.includes(service)))?.url ?? '';
  const opened = routes.flatMap(({ path, navigation }) =>
    navigation?.command === undefined ? [] : [{ path, name: navigation.name, command: navigation.command }],
  );
  const keyFile = `${stateDir}/admin.key`;
  // Of several nodes that share a store, one has it.
  const isHere = existsSync(keyFile);
  const body = {
    orb_id: 'notify.email@1.0.0',
    inputs: { to: 'you@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' },
  };
  const text = [
    `Serving on ${shown.map((listener) => listener.url).join(', ')}`,
    `  home       ${home}`,
    `  state dir  ${stateDir}`,
    `  admin key  ${isHere ? keyFile : `in the state dir of the node that created it (see its log); set ORB_KEY to it`}`,
    ...opened.map(
      ({ path, name, command }) => `  ${name.toLowerCase().padEnd(9)}  ${whole}${path} (sign in: ${command})`,
    ),
    '',
    'Try it:',
    `  curl -sS ${url}/orbisets/default/execute \\`,
    `    -H "Authorization: Bearer ${isHere ? `$(cat '${keyFile}')` : '$ORB_KEY'}" -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(body)}'`,
  ];
  print({ listeners, home, state_dir: stateDir }, text.join('\n'));
}

// A listener on all addresses has no address that a client can call.
function callable(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, '//localhost');
}

/** Notifies systemd, if the unit has `Type=notify`, by its command: Node cannot open a datagram socket of a path. */
export function tellSupervisor(env: Environment, what: 'ready' | 'stopping'): void {
  if (env['NOTIFY_SOCKET'] === undefined) return;
  const child = spawn('systemd-notify', [`--${what}`], { env: { ...env }, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

// Removes what older executables unpacked below a state dir. Only the process that holds the state dir may call it.
function removeOlder(stateDir: string, packageDir: string): void {
  const cache = join(stateDir, 'cache');
  if (dirname(packageDir) !== cache) return;
  for (const name of readdirSync(cache))
    if (name.startsWith('orb-') && name !== basename(packageDir))
      rmSync(join(cache, name), { recursive: true, force: true });
}
