import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDir } from '../../../helpers/folder.ts';
import { createServed } from '../../../helpers/served.ts';
import { until } from '../../../helpers/until.ts';
import { buildClients } from '../built.ts';

/** What a walk is done with. */
export interface Walked {
  /** A folder in which the client is installed. */
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  readonly sub: string;
  /** Words before each command: those of a network without a way out. */
  readonly within?: readonly string[];
}

/** Walks with a server of their own. */
export interface Walks {
  readonly walked: Walked;
  end(): Promise<void>;
}

/** Starts a server and makes a folder in which a client is to be installed. `within`: words before each command. */
export async function beginWalks(within: readonly string[] = []): Promise<Walks> {
  buildClients();
  const served = createServed({}, { within });
  const folder = mkdtempSync(join(tmpdir(), 'orb-runtimes-'));
  // Else npm takes a folder above for the project.
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  return {
    walked: { folder, ...(await served.start()), sub: '', within },
    async end() {
      await served.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const program = `import * as client from 'agent-orb';
import { walk } from './walk.mjs';
const [url, key, sub] = JSON.parse(ARGUMENTS);
console.log(JSON.stringify(await walk(client, { url, key, sub })));
`;

const walkFile = join(import.meta.dirname, 'walk.mjs');

/** Installs a runtime of the registry of npm below `dist`, once; answers its folder. */
export function installRuntime(name: string, version: string): string {
  const home = join(packageDir, 'dist/runtimes', `${name.replace(/\W+/g, '-')}-${version}`);
  const folder = join(home, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  const words = ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', `${name}@${version}`];
  execFileSync('npm', words, { cwd: home, stdio: 'ignore' });
  return folder;
}

/** Runs a command in the folder of a walk, and in its network; answers what it printed. */
export async function runIn({ folder, within = [] }: Walked, words: readonly string[]): Promise<string> {
  const [command = '', ...args] = [...within, ...words];
  const options = { cwd: folder, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };
  return (await promisify(execFile)(command, args, options)).stdout;
}

/** Walks by a command that runs a module. */
export async function walkByCommand(command: string, words: readonly string[], walked: Walked): Promise<string[]> {
  const { folder, key, sub, url } = walked;
  const given = JSON.stringify(JSON.stringify([url, key, sub]));
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(folder, 'walk.mjs'), readFileSync(walkFile, 'utf8'));
  writeFileSync(join(folder, 'main.mjs'), program.replace('ARGUMENTS', given));
  return lastLine(await runIn(walked, [command, ...words, join(folder, 'main.mjs')]));
}

/** Walks by a Python in whose environment the client is installed. */
export async function walkByPython(python: string, walked: Walked): Promise<string[]> {
  const { key, sub, url } = walked;
  return lastLine(await runIn(walked, [python, join(import.meta.dirname, 'walk.py'), url, key, sub]));
}

function lastLine(printed: string): string[] {
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as string[];
}

// The form of workerd's configuration: Cap'n Proto text.
const worker = (port: number, server: string): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "main.mjs", esModule = embed "worker.mjs"),
        (name = "walk.mjs", esModule = embed "walk.mjs"),
        (name = "agent-orb", esModule = embed "node_modules/agent-orb/index.js"),
      ],
      compatibilityDate = "2026-01-01",
      globalOutbound = "outside",
    )),
    (name = "outside", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
# ${server}
`;

/** Walks inside a worker of workerd. */
export async function walkByWorkerd(command: string, walked: Walked): Promise<string[]> {
  const { folder, key, sub, url, within = [] } = walked;
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  writeFileSync(join(folder, 'walk.mjs'), readFileSync(walkFile, 'utf8'));
  writeFileSync(
    join(folder, 'worker.mjs'),
    `import * as client from 'agent-orb';
import { walk } from 'walk.mjs';
const given = ${JSON.stringify({ url, key, sub })};
export default { fetch: async () => Response.json(await walk(client, given).catch((error) => [String(error.stack)])) };
`,
  );
  writeFileSync(join(folder, 'worker.capnp'), worker(port, url));
  const [first = '', ...words] = [...within, command, 'serve', join(folder, 'worker.capnp')];
  const child = spawn(first, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  // The worker may be in another network than this process.
  const ask = `console.log(await (await fetch('http://127.0.0.1:${port}/')).text())`;
  try {
    const answer = await until(
      () => runIn(walked, [process.execPath, '--input-type=module', '-e', ask]).catch(() => undefined),
      (found) => found !== undefined,
      'workerd',
    );
    return lastLine(answer ?? '');
  } finally {
    child.kill('SIGTERM');
  }
}
