// Other gateways of models, each in an environment of its own below dist/, with nothing switched on that it does not need.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMicros, type Target } from '../server.ts';
import { completionOf, completionsPath, models } from './bed.ts';

const dist = resolve(import.meta.dirname, '../../../dist');

/** Another gateway. */
export interface Gateway {
  readonly name: string;
  /** Whether its streams work on this version of Node. */
  readonly streams: boolean;
  /** Headers of each call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly target: Target;
}

/** Starts LiteLLM with one worker before a double; `rust`: what it can do in its native module, it does there. */
export async function startLiteLlm(double: Target, { rust = false } = {}): Promise<Gateway> {
  const { program, version } = liteLlm();
  const home = mkdtempSync(join(tmpdir(), 'orb-litellm-'));
  const key = `sk-${randomBytes(24).toString('hex')}`;
  const own = { api_base: `${double.url}/v1`, api_key: 'none' };
  const model_list = models.map((name) => ({
    model_name: name,
    litellm_params: { model: `openai/${name}`, ...own },
  }));
  // JSON is YAML.
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ model_list, litellm_settings: { telemetry: false } }));
  const port = await freePort();
  const child = spawn(
    program,
    ['--config', join(home, 'config.yaml'), '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
    {
      cwd: home,
      stdio: 'ignore',
      env: {
        ...{ PATH: process.env['PATH'], HOME: home, LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
        // It does not start without one; the platform knows its callers, too.
        LITELLM_MASTER_KEY: key,
        ...(rust && { LITELLM_RUST: '1' }),
      },
    },
  );
  const name = `LiteLLM ${version}, ${rust ? 'native path' : 'one worker'}`;
  return started({ name, streams: true, headers: {}, key, child, port, home });
}

interface Installed {
  readonly program: string;
  readonly version: string;
}

// Once in a process.
let installed: Installed | undefined;

function liteLlm(): Installed {
  if (installed !== undefined) return installed;
  const environment = join(dist, 'litellm');
  const python = join(environment, 'bin/python');
  if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', environment], { stdio: 'inherit' });
  const wanted = process.env['BENCH_LITELLM'] ?? '';
  const script = join(import.meta.dirname, 'install-litellm.py');
  const told = execFileSync(python, [script, wanted], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const version = told.trim().split('\n').at(-1) ?? '';
  return (installed = { program: join(environment, 'bin/litellm'), version });
}

const portkey = '@portkey-ai/gateway';

/** Installs Portkey's gateway, if it is not, and starts it before a double. */
export async function startPortkey(double: Target): Promise<Gateway> {
  const environment = join(dist, 'portkey');
  const folder = join(environment, 'node_modules', portkey);
  if (!existsSync(folder)) {
    mkdirSync(environment, { recursive: true });
    execFileSync('npm', ['install', '--prefix', environment, '--no-save', '--no-audit', '--no-fund', portkey], {
      stdio: 'inherit',
    });
  }
  const home = mkdtempSync(join(tmpdir(), 'orb-portkey-'));
  const port = await freePort();
  const program = [join(folder, 'build/start-server.js'), `--port=${port}`, '--headless'];
  const child = spawn(process.execPath, program, { cwd: home, stdio: 'ignore' });
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${double.url}/v1` };
  return started({ name: `Portkey ${version}`, streams: false, headers, key: 'none', child, port, home });
}

interface Starting extends Omit<Gateway, 'target'> {
  /** What callers present. */
  readonly key: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly home: string;
}

async function started({ child, port, home, key, ...gateway }: Starting): Promise<Gateway> {
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await ended(child);
    rmSync(home, { recursive: true, force: true });
  };
  const target = { name: gateway.name, url, key, pid: child.pid ?? 0, stop };
  try {
    await answering(url, child, { ...gateway, key });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...gateway, target };
}

// Its first start may take long.
async function answering(
  url: string,
  child: ChildProcess,
  { name, headers, key }: Pick<Starting, 'headers' | 'key' | 'name'>,
): Promise<void> {
  const until = performance.now() + 120_000;
  let last = 'it ended';
  while (performance.now() < until && child.exitCode === null) {
    const call = {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(completionOf({})),
    };
    last = await fetch(url + completionsPath, call).then(
      async (answer) => (answer.ok ? '' : `${answer.status} ${await answer.text()}`),
      (error: unknown) => String(error),
    );
    if (last === '') return;
    await pause(500);
  }
  throw new Error(`${name} does not answer: ${last.slice(0, 300)}`);
}

/** User and system time of a process and of its children so far, in microseconds. */
export function treeMicros(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const own = children === '' ? [] : children.split(' ').map(Number);
  return own.reduce((sum, child) => sum + treeMicros(child), cpuMicros(pid));
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolved) => {
    if (child.exitCode !== null) return void resolved();
    child.once('exit', () => resolved());
    child.kill('SIGTERM');
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolved) => server.listen(0, '127.0.0.1', resolved));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolved) => server.close(() => resolved()));
  return port;
}
