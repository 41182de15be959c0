import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { pythonCommand } from '../../../helpers/python.ts';
import { whenReady, type Ended, type Installed, type Running } from '../room.ts';

/** A container engine whose files are all in one folder. */
export interface Engine {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command in the folder of the files that it names. */
  shell(script: string): Ended;
}

/** Makes an engine with its files in `folder`, whose commands run in `cwd`. */
export function engineIn(folder: string, cwd: string): Engine {
  const settings = join(folder, 'storage.conf');
  writeFileSync(settings, `[storage]\ndriver = "vfs"\nrunroot = "${folder}/run"\ngraphroot = "${folder}/containers"\n`);
  // By default it asks for more open files than a container of its own may have.
  const limits = join(folder, 'containers.conf');
  writeFileSync(
    limits,
    '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n',
  );
  const PATH = `${dirname(pythonCommand('podman-compose'))}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, CONTAINERS_STORAGE_CONF: settings, CONTAINERS_CONF: limits };
  return { folder, env, shell: (script) => spawnSync('/bin/sh', ['-c', script], { cwd, env, encoding: 'utf8' }) };
}

/** Removes a folder with engines in it: the mounts of a container outlive it by a moment. */
export function removeEngines(folder: string | undefined): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Returns the folder of this machine that holds a volume of an engine. */
export const volumeOf = ({ folder }: Engine, volume: string): string =>
  join(folder, 'containers/volumes', volume, '_data');

/** A container that an engine has started. */
export interface Started {
  readonly container: string;
  readonly volume: string;
  readonly address: string;
  /** The state dir, below the volume; `data/state` unless given. */
  readonly state?: string;
  /** What removes the container and its volume; default: both by their names. */
  readonly remove?: string;
}

/** Waits until the server of a container accepts work, and says how to use and to stop it. */
export async function whenStarted(
  engine: Engine,
  { address, container, remove, state = 'data/state', volume }: Started,
): Promise<readonly [Installed, Running]> {
  const { env, shell } = engine;
  const homeFolder = volumeOf(engine, volume);
  const url = `http://${address}`;
  const running = (): boolean =>
    shell(`podman inspect --format "{{.State.Running}}" ${container}`).stdout.trim() === 'true';
  await whenReady(url, () => (running() ? undefined : shell(`podman logs ${container}`).stderr));
  const orb = (...words: readonly string[]): Ended =>
    spawnSync('podman', ['exec', '--env', `ORB_URL=${url}`, container, 'orb', ...words], { env, encoding: 'utf8' });
  const stop = async (): Promise<number> => {
    expectDone(shell(`podman stop --time 60 ${container}`));
    const code = Number(shell(`podman inspect --format "{{.State.ExitCode}}" ${container}`).stdout);
    expectDone(shell(remove ?? `podman rm ${container} && podman volume rm ${volume}`));
    return code;
  };
  const key = readFileSync(join(homeFolder, state, 'admin.key'), 'utf8').trim();
  return [
    { homeFolder, orb },
    { url, key, stop },
  ];
}

/** Asserts that a command has succeeded. */
export function expectDone({ status, stdout, stderr }: Ended): void {
  expect(status, stdout + stderr).to.equal(0);
}
