import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../helpers/until.ts';

/** The user that servers run as in a room, as an image does. */
export const user = 65532;
/** The home of the server, as the program sees it. */
export const home = '/var/lib/orb';

/** A root file system in which programs run, without anything else of this machine but the network. */
export interface Room {
  readonly root: string;
  /** The folder of this machine that is the home in the room. */
  readonly homeFolder: string;
  /** The program, as it is called in the room. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs programs of another processor; a file of this machine. */
  readonly emulator?: string;
}

/** An installed program. */
export interface Installed {
  /** The folder of this machine that is the home of the server. */
  readonly homeFolder: string;
  /** Runs a command of `orb` in the home. */
  orb(...words: readonly string[]): Ended;
}

/** How a command in a room has ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Makes the folder of a home, which belongs to the user of the server. */
export function makeHome(folder: string): string {
  mkdirSync(folder);
  chownSync(folder, user, user);
  chmodSync(folder, 0o700);
  return folder;
}

/** Runs a command as the user of the server; only its home can be written. */
export function runIn(room: Room, ...words: readonly string[]): Ended {
  const [program = '', ...rest] = confined(room, words);
  const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Describes the installation of a room. */
export function installedIn(room: Room): Installed {
  return { homeFolder: room.homeFolder, orb: (...words) => runIn(room, room.program, ...words) };
}

/** Runs a command in a root file system as root, who can write everywhere in it: what installs packages. */
export function rootIn(root: string, ...words: readonly string[]): Ended {
  const all = ['--bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--clearenv', '--setenv', 'PATH', path];
  const { status, stdout, stderr } = spawnSync('bwrap', [...all, '--', ...words], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** A server in a room. */
export interface Running {
  readonly url: string;
  readonly key: string;
  /** Sends SIGTERM to the server, and resolves to its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the server of a room by a command, `orb serve` unless given, and resolves when it accepts work. */
export async function serveIn(room: Room, ...words: readonly string[]): Promise<Running> {
  const [program = '', ...rest] = confined(room, words.length > 0 ? words : [room.program, 'serve']);
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = room.env['ORB_URL'] ?? '';
  await whenReady(url, () => (hasEnded(child) ? errors : undefined));
  return {
    url,
    key: adminKey(room.homeFolder),
    async stop() {
      if (hasEnded(child)) return exited;
      const [pid] = readFileSync(join(room.homeFolder, 'data/state/lock'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGTERM');
      return exited;
    },
  };
}

/** Waits until a server accepts work; `end` says why there is none any more. */
export async function whenReady(url: string, end: () => string | undefined): Promise<void> {
  await until(
    async () => {
      const ended = end();
      if (ended !== undefined) throw new Error(`the server has ended: ${ended}`);
      return (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok;
    },
    (ready) => ready === true,
    'the server',
  );
}

/** Reads the first key of a server. */
export function adminKey(homeFolder: string): string {
  return readFileSync(join(homeFolder, 'data/state/admin.key'), 'utf8').trim();
}

/** Where the programs of a root file system are. */
export const path = '/usr/sbin:/usr/bin:/sbin:/bin';

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Words that run a command in a room as its user: all of the root is read-only, and its home is not. */
function confined({ emulator, env, homeFolder, root }: Room, words: readonly string[]): readonly string[] {
  const parts = readdirSync(root).filter((name) => !['dev', 'proc', 'sys'].includes(name));
  return [
    ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
    ...['bwrap', '--die-with-parent', '--unshare-user', '--uid', String(user), '--gid', String(user)],
    ...parts.flatMap((name) => ['--ro-bind', join(root, name), `/${name}`]),
    ...(emulator === undefined ? [] : ['--ro-bind', emulator, '/emulator']),
    ...['--proc', '/proc', '--dev', '/dev', '--bind', homeFolder, home, '--remount-ro', '/', '--chdir', home],
    ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--', ...(emulator === undefined ? [] : ['/emulator']), ...words],
  ];
}

/** Says whether a program is in a root file system, in one of the folders of programs. */
export function hasProgram(root: string, name: string): boolean {
  return path.split(':').some((folder) => existsSync(join(root, folder, name)));
}
