import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kannelPrograms } from '../../helpers/needs.ts';
import { closedPort } from '../../helpers/vendor.ts';
import { until } from '../../helpers/until.ts';

/** A message, or a part of one, as the network got it. */
export interface Got {
  readonly from: string;
  readonly to: string;
  /** In UTF-8 for the GSM alphabet, else UTF-16BE. */
  readonly bytes: Buffer;
  /** The place of a part: reference, parts, number. */
  readonly part: readonly [reference: number, of: number, number: number] | undefined;
}

/** A real Kannel gateway on loopback, in front of a network that only says what it got. */
export interface Gateway {
  /** Address of the smsbox. */
  readonly url: string;
  readonly got: readonly Got[];
  /** Stops the bearerbox where it is, as a machine that hangs. */
  pause(): void;
  /** Kills all programs and starts them again on the same store. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The login of the gateway. */
export const login = { username: 'orb', password: 'gateway_secret' };

/** Starts bearerbox, smsbox and the test driver of an SMSC. */
export async function startGateway(): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-kannel-'));
  const store = join(folder, 'store');
  mkdirSync(store);
  const [admin, boxes, network, sendsms] = [
    await closedPort(),
    await closedPort(),
    await closedPort(),
    await closedPort(),
  ];
  const file = join(folder, 'kannel.conf');
  writeFileSync(file, configuration({ admin, boxes, network, sendsms, store }));
  const got: Got[] = [];
  let running: ChildProcess[] = [];

  const start = async (): Promise<void> => {
    const { bearerbox, smsbox, fakesmsc } = kannelPrograms;
    const bearer = run(bearerbox, [file]);
    running = [bearer];
    await listens(boxes);
    await listens(network);
    const driver = run(
      fakesmsc,
      ['-H', '127.0.0.1', '-r', String(network), '-i', '100000', '-m', '1', '1 2 text none'],
      'pipe',
    );
    running.push(driver, run(smsbox, [file]));
    let rest = '';
    const read = (chunk: Buffer): void => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const found = /Got message \d+: <(.*)>$/.exec(line)?.[1];
        if (found !== undefined) got.push(parsed(found));
      }
    };
    driver.stdout?.on('data', read);
    driver.stderr?.on('data', read);
    await listens(sendsms);
  };
  const kill = async (): Promise<void> => {
    for (const program of running.reverse()) {
      if (program.exitCode !== null || program.signalCode !== null) continue;
      const ended = once(program, 'exit');
      program.kill('SIGKILL');
      await ended;
    }
  };
  await start();
  return {
    url: `http://127.0.0.1:${sendsms}`,
    got,
    pause: () => void running[0]?.kill('SIGSTOP'),
    async restart() {
      await kill();
      await start();
    },
    async stop() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

function run(program: string, words: readonly string[], output: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  return spawn(program, words, { stdio: ['ignore', output, output] });
}

async function listens(port: number): Promise<void> {
  const connect = async (): Promise<boolean> => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    const found = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return found;
  };
  await until(connect, (found) => found, `port ${port}`);
}

interface Places {
  readonly admin: number;
  readonly boxes: number;
  readonly network: number;
  readonly sendsms: number;
  readonly store: string;
}

function configuration({ admin, boxes, network, sendsms, store }: Places): string {
  const group = (name: string, members: Readonly<Record<string, string | number>>): string =>
    [`group = ${name}`, ...Object.entries(members).map(([key, value]) => `${key} = ${value}`), ''].join('\n');
  return [
    group('core', {
      ...{ 'admin-port': admin, 'admin-password': 'admin', 'admin-interface': '127.0.0.1' },
      ...{ 'smsbox-port': boxes, 'smsbox-interface': '127.0.0.1', 'box-allow-ip': '127.0.0.1' },
      ...{ 'store-type': 'spool', 'store-location': store, 'dlr-storage': 'internal', 'log-level': 1 },
    }),
    group('smsc', { smsc: 'fake', 'smsc-id': 'FAKE', port: network, 'connect-allow-ip': '127.0.0.1' }),
    group('smsbox', { 'bearerbox-host': '127.0.0.1', 'sendsms-port': sendsms, 'sendsms-interface': '127.0.0.1' }),
    group('sendsms-user', { ...login, 'max-messages': 10, concatenation: 'true' }),
    group('sms-service', { keyword: 'default', text: 'none', 'max-messages': 0 }),
  ].join('\n');
}

/** Reads a line of the driver: sender, recipient, for a part its header, then the text as it is or encoded. */
function parsed(line: string): Got {
  const [from = '', to = '', ...rest] = line.split(' ');
  const head = rest[0] === 'udh' ? decoded(rest.splice(0, 2)[1] ?? '') : undefined;
  const [kind, ...words] = rest;
  const text = words.join(' ');
  const [, , , reference = 0, of = 0, number = 0] = head ?? [];
  return {
    ...{ from, to },
    bytes: kind === 'text' ? Buffer.from(text, 'latin1') : decoded(text),
    part: head === undefined ? undefined : [reference, of, number],
  };
}

function decoded(text: string): Buffer {
  const plain = text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return Buffer.from(plain, 'latin1');
}
