import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unpackDebian } from './base.ts';
import {
  adminKey,
  hasProgram,
  home,
  makeHome,
  path,
  runIn,
  serveIn,
  whenReady,
  type Ended,
  type Installed,
  type Room,
  type Running,
} from './room.ts';

/** A Debian in which nothing is installed yet, and an empty home. */
export function emptyRoom(dir: string, address: string): Room {
  const root = join(dir, 'root');
  unpackDebian(root);
  expect(['node', 'go', 'cc', 'gcc', 'make'].filter((one) => hasProgram(root, one))).to.deep.equal([]);
  mkdirSync(join(root, home));
  const env = { PATH: path, ORB_LISTEN: address, ORB_URL: `http://${address}` };
  return { root, program: '', env, homeFolder: makeHome(join(dir, 'home')) };
}

/** Does as systemd does to start a unit. */
export async function serveByUnit(room: Room, unit: string): Promise<Running> {
  const lines = readFileSync(join(room.root, 'usr/lib/systemd/system', unit), 'utf8').split('\n');
  const valuesOf = (name: string): readonly string[] =>
    lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
  const variables = valuesOf('Environment').flatMap((value) => value.split(' ').map((pair) => pair.split('=')));
  const started = { ...room, env: { ...room.env, ...(Object.fromEntries(variables) as Record<string, string>) } };
  expect([valuesOf('WorkingDirectory'), valuesOf('StateDirectory')]).to.deep.equal([[home], ['orb']]);
  for (const command of valuesOf('ExecStartPre')) {
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(command) ?? [];
    expectDone(runIn(started, '/bin/sh', '-c', script));
  }
  const [command = ''] = valuesOf('ExecStart');
  return serveIn(started, ...command.split(' '));
}

/** A container engine whose files are all in one folder. */
export interface Engine {
  /** Runs a script that calls `podman`, in the folder of the images. */
  shell(script: string): Ended;
  /** The variables with which `podman` finds its files. */
  readonly env: NodeJS.ProcessEnv;
  /** The folder of this machine that holds the volume `orb`. */
  readonly volume: string;
  /** Waits for the container `orb`, whose server listens at an address. */
  serving(address: string): Promise<readonly [Installed, Running]>;
}

/** Opens an engine with its files in `dir` that reads images in `folder`. */
export function openEngine(dir: string, folder: string): Engine {
  const settings = join(dir, 'storage.conf');
  writeFileSync(settings, `[storage]\ndriver = "vfs"\nrunroot = "${dir}/run"\ngraphroot = "${dir}/containers"\n`);
  // By default it asks for more open files than a container of its own may have.
  const limits = join(dir, 'containers.conf');
  writeFileSync(
    limits,
    '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n',
  );
  const env = { ...process.env, CONTAINERS_STORAGE_CONF: settings, CONTAINERS_CONF: limits };
  const shell = (script: string): Ended => spawnSync('/bin/sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
  const volume = join(dir, 'containers/volumes/orb/_data');
  const running = (): boolean => shell('podman inspect --format "{{.State.Running}}" orb').stdout.trim() === 'true';
  const stop = async (): Promise<number> => {
    expectDone(shell('podman stop --time 60 orb'));
    const code = Number(shell('podman inspect --format "{{.State.ExitCode}}" orb').stdout);
    expectDone(shell('podman rm orb && podman volume rm orb'));
    return code;
  };
  return {
    ...{ env, shell, volume },
    async serving(address) {
      const url = `http://${address}`;
      await whenReady(url, () => (running() ? undefined : shell('podman logs orb').stderr));
      const orb = (...words: readonly string[]): Ended =>
        spawnSync('podman', ['exec', '--env', `ORB_URL=${url}`, 'orb', 'orb', ...words], { env, encoding: 'utf8' });
      return [
        { homeFolder: volume, orb },
        { url, key: adminKey(volume), stop },
      ] as const;
    },
  };
}

/** Expects that a command has done its work. */
export function expectDone({ status, stdout, stderr }: Ended): void {
  expect(status, stdout + stderr).to.equal(0);
}
