import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../helpers/until.ts';
import { unpackDebian } from './base.ts';
import { path, type Ended } from './room.ts';

// As a container engine prepares it: what systemd looks for, read-only where it would change the kernel. A control group of
// its own; no other name space of this machine but the network.
const boot = `set -e
mount --make-rprivate /
group=$(mktemp -d)
mount -t cgroup2 none "$group"
mkdir "$group/$1" && echo $$ > "$group/$1/cgroup.procs"
umount "$group" && rmdir "$group"
exec unshare --cgroup --pid --fork --kill-child --ipc --uts -- sh -ec '
mount --bind "$0" "$0" && cd "$0"
mount -t proc proc proc && mount --bind proc/sys proc/sys && mount -o remount,ro,bind proc/sys
mount -t sysfs -o ro sysfs sys && mount -t cgroup2 none sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run && mount -t tmpfs tmpfs tmp && mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do touch dev/$name && mount --bind /dev/$name dev/$name; done
mkdir dev/pts dev/shm && mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts && ln -s pts/ptmx dev/ptmx && ln -s /proc/self/fd dev/fd
pivot_root . mnt && umount -l /mnt
exec env -i container=orb /lib/systemd/systemd --system
' "$2"`;

/** A Debian that systemd runs: units start in it as on a machine of its own. It shares the network with this machine. */
export class Machine {
  readonly root: string;
  readonly #name = `orb-test-${process.pid}`;
  #first: ChildProcess | undefined;
  #pid = '';

  constructor(root: string) {
    this.root = root;
  }

  /** Unpacks and boots it. */
  async start(): Promise<void> {
    unpackDebian(this.root);
    const words = ['--mount', 'sh', '-c', boot, 'sh', this.#name, this.root];
    this.#first = spawn('unshare', words, { stdio: 'ignore' });
    const outer = this.#first.pid ?? 0;
    this.#pid = await until(
      () => readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').trim(),
      // Before it, the shell starts programs that end at once.
      (pid) => spawnSync('cat', [`/proc/${pid}/comm`], { encoding: 'utf8' }).stdout === 'systemd\n',
      'the first process',
    );
    await until(
      () => this.run('systemctl', 'is-system-running').stdout.trim(),
      (state) => /^(?:running|degraded)$/.test(state),
      'systemd',
    );
  }

  /** Words that run a command in it as root. */
  words(...words: readonly string[]): string[] {
    const within = ['--target', this.#pid, '--mount', '--pid', '--cgroup', '--ipc', '--uts'];
    return ['nsenter', ...within, 'env', '-i', '--chdir=/', `PATH=${path}`, 'LC_ALL=C.UTF-8', ...words];
  }

  /** Runs a command in it as root. */
  run(...words: readonly string[]): Ended {
    const [command = '', ...rest] = this.words(...words);
    const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  /** Runs a command in it as root, while this thread goes on. */
  async runLater(...words: readonly string[]): Promise<Ended> {
    const [command = '', ...rest] = this.words(...words);
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => (said[name] += chunk.toString()));
    return new Promise((resolve) => child.once('close', (status) => resolve({ status, ...said })));
  }

  /** Reads a property of a unit. */
  show(unit: string, property: string): string {
    return this.run('systemctl', 'show', '--value', '-p', property, unit).stdout.trim();
  }

  write(file: string, content: string, mode = 0o644): void {
    execFileSync('mkdir', ['-p', join(this.root, file, '..')]);
    writeFileSync(join(this.root, file), content, { mode });
  }

  remove(): void {
    this.#first?.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}
