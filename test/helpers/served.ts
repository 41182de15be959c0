import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withCopies } from './copies.ts';
import { needsProcess, runInThread } from './in-thread.ts';
import { serverFlags } from './lean-wasm.ts';
import { shippedProgram } from './program.ts';
import { shippedSettings } from './shipped-settings.ts';
import { dropStore, storeOf, storeVariables } from './store-engine.ts';

/** A home folder whose server runs as a process of its own. */
export interface Served {
  readonly home: string;
  readonly stateDir: string;
  /** Starts `orb serve` and resolves when it listens. */
  start(): Promise<{ readonly url: string; readonly key: string }>;
  /** Ends the server by SIGKILL, by the process id in the lock file. */
  kill(): Promise<void>;
  /** Sends the server a signal and does not wait. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when the server has ended by itself. */
  exited(): Promise<void>;
  /** Ends the server by SIGTERM and answers its exit code. */
  stop(): Promise<number | null>;
  /** Runs a command of `orb` in the home; one of the binary or another program as a process. */
  orb(...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
  /** Removes the home. */
  remove(): Promise<void>;
}

type PlatformFile = { readonly plugins?: object } & Readonly<Record<string, unknown>>;

/** How a server is run. */
export interface ServedOptions {
  /** The binary, run without a PATH. */
  readonly executable?: string;
  /** Another program than the shipped one: the path of its main file. */
  readonly program?: string;
  /** A module that is loaded into each of its threads before the program. */
  readonly preload?: URL;
  /** Variables that the server and a command in the home have. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables that the server has, and a command in the home has not. */
  readonly serverEnv?: Readonly<Record<string, string>>;
  /** Words before the command of the server, which replaces the process that they start. */
  readonly within?: readonly string[];
  /** Flags of V8; those of the tests unless given. */
  readonly flags?: readonly string[];
  /** How many descriptors it may open (`ulimit -n`). */
  readonly descriptors?: number;
}

/**
 * Makes a home with a platform.json; the listener takes a free port. No policy compiler is built in the background:
 * beside a test that would take minutes from the others.
 */
export function createServed({ plugins = {}, ...platform }: PlatformFile = {}, options: ServedOptions = {}): Served {
  const { descriptors, env: given = {}, executable, program = shippedProgram } = options;
  const { flags = serverFlags, preload, serverEnv = {}, within = [] } = options;
  const [command, ...words] = executable === undefined ? [process.execPath, ...flags, program] : [executable];
  // The executable refuses homes below /dev, where a run may keep its temporary files.
  const home = mkdtempSync(join(executable === undefined ? tmpdir() : '/var/tmp', 'orb-served-'));
  mkdirSync(join(home, 'data'));
  const shipped = shippedSettings();
  writeFileSync(
    join(home, 'data/platform.json'),
    JSON.stringify(
      withCopies({
        ...shipped,
        listen: [{ address: '127.0.0.1:0' }],
        ...platform,
        plugins: { policy: { config: { build_compiler: false } }, ...plugins },
      }),
    ),
  );
  const stateDir = join(home, 'data/state');
  let child: ChildProcess | undefined;
  let url = '';
  const env = (): Record<string, string> => ({
    PATH: executable === undefined ? (process.env['PATH'] ?? '') : '/nowhere',
    ORB_LOG_LEVEL: 'error',
    ...{ ...storeVariables(home), ...given },
    ...(url === '' ? {} : { ORB_URL: url }),
  });
  const ended = async (signal: NodeJS.Signals, pid: number | undefined): Promise<number | null> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null || pid === undefined)
      return child?.exitCode ?? null;
    const exit = new Promise<number | null>((resolve) => child?.once('exit', (code) => resolve(code)));
    process.kill(pid, signal);
    return exit;
  };
  return {
    home,
    stateDir,
    async start() {
      await storeOf(home);
      const limited = descriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${descriptors} && exec "$@"`, 'sh'];
      const [first = '', ...args] = [...within, ...limited, command ?? '', ...words, 'serve', '--json'];
      child = spawn(first, args, {
        cwd: home,
        env: { ...env(), ...serverEnv, ...(preload === undefined ? {} : { NODE_OPTIONS: `--import=${preload.href}` }) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      url = await listening(child);
      return { url, key: adminKey(stateDir) };
    },
    async kill() {
      await ended('SIGKILL', Number(readFileSync(join(stateDir, 'lock'), 'utf8').split('\n')[0]));
    },
    signal: (name) => void child?.kill(name),
    async exited() {
      if (child !== undefined && child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child?.once('exit', resolve));
    },
    stop: () => ended('SIGTERM', child?.pid),
    orb(...args) {
      if (words.at(-1) === shippedProgram && !needsProcess(args)) return runInThread(home, { args, env: env() });
      return spawnSync(command ?? '', [...words, ...args], { cwd: home, env: env(), encoding: 'utf8' });
    },
    async remove() {
      await ended('SIGKILL', child?.pid);
      await dropStore(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

// A second server on one database has none.
function adminKey(stateDir: string): string {
  const path = join(stateDir, 'admin.key');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const url = /"url": "([^"]+)"/.exec(out)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`orb serve ended with ${code}: ${errors}`)));
  });
}
