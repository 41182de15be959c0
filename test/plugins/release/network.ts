import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { need } from '../../helpers/needs.ts';
import { build, built } from './built.ts';

// All calls of Linux that send something to an address. The runtime has a ring (io_uring), too, for files alone.
const calls = 'connect,sendto,sendmsg,sendmmsg';
const server = '127.0.0.1:8080';

/** A network with nothing in it but its own loopback, and the programs that are watched in it. */
class Watched {
  // The executable refuses homes below /dev, where a run may keep its temporary files.
  readonly dir = mkdtempSync('/var/tmp/orb-network-');
  readonly #first = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec sleep infinity'], {
    stdio: 'ignore',
  });
  readonly #traces = join(this.dir, 'traces');

  constructor() {
    mkdirSync(this.#traces);
    // The network is there a moment after the process that makes it.
    const own = readlinkSync('/proc/self/ns/net');
    const isReady = (): boolean =>
      readlinkSync(`/proc/${this.#first.pid}/ns/net`) !== own &&
      spawnSync('nsenter', ['-t', String(this.#first.pid), '--net', 'ip', 'link', 'show', 'lo', 'up']).stdout.length >
        0;
    for (const end = Date.now() + 60_000; !isReady();) if (Date.now() > end) throw new Error('there is no network');
  }

  /** Words that run a program in the network, whose calls are written down under a name. */
  #words(name: string, words: readonly string[]): string[] {
    const trace = ['strace', '-f', '-A', '-qq', '-s', '0', '-e', `trace=${calls}`, '-e', 'signal=none'];
    return ['-t', String(this.#first.pid), '--net', ...trace, '-o', join(this.#traces, name), ...words];
  }

  /** Runs a program to its end; without any variable but those of a login. */
  run(name: string, ...words: readonly string[]) {
    return spawnSync('nsenter', this.#words(name, words), { cwd: this.dir, env, encoding: 'utf8' });
  }

  start(name: string, ...words: readonly string[]): ChildProcess {
    return spawn('nsenter', this.#words(name, words), { cwd: this.dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Lists the addresses that the programs of a name sent to, each once. */
  sentTo(name: string): readonly string[] {
    const found = readFileSync(join(this.#traces, name), 'utf8').split('\n').flatMap(addressesIn);
    return [...new Set(found)].sort();
  }

  get names(): readonly string[] {
    return readdirSync(this.#traces);
  }

  /** Reads counters of the network: what it sent by UDP, and what had no way out. */
  get counters(): { readonly datagrams: number; readonly noRoutes: number } {
    const rows = readFileSync(`/proc/${this.#first.pid}/net/snmp`, 'utf8').split('\n');
    const valueOf = (protocol: string, name: string): number => {
      const [names = '', values = ''] = rows.filter((row) => row.startsWith(`${protocol}: `));
      return Number(values.split(' ')[names.split(' ').indexOf(name)]);
    };
    const noRoutes6 = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(readFileSync(`/proc/${this.#first.pid}/net/snmp6`, 'utf8'));
    return {
      datagrams: valueOf('Udp', 'OutDatagrams'),
      noRoutes: valueOf('Ip', 'OutNoRoutes') + Number(noRoutes6?.[1]),
    };
  }

  remove(): void {
    this.#first.kill('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };

/** Finds the addresses of sockets in a line of strace. */
function addressesIn(line: string): readonly string[] {
  return [
    ...[...line.matchAll(/sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/g)].map(
      ([, port, at]) => `${at}:${port}`,
    ),
    ...[...line.matchAll(/sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"/g)].map(
      ([, port, at]) => `[${at}]:${port}`,
    ),
    ...[...line.matchAll(/sun_path=(@?"[^"]*")/g)].map(([, path]) => `unix ${path}`),
  ];
}

const stranger = `
const dns = require('node:dns');
dns.resolve4('orb.example', () => fetch('http://192.0.2.1').catch(() => undefined));
`;

/** Tests that a server without any setting sends nothing by itself, watched for so many seconds. */
export function describeSilence(seconds: number): void {
  describe(`a server of the executable without settings, for ${seconds} s`, function () {
    this.timeout(seconds * 1000 + 300_000);
    let watched: Watched;
    let serving: ChildProcess;
    const orb = join(built.work, 'executables/linux-x64/orb');
    const done = (name: string, ...words: readonly string[]): string => {
      const { status, stderr, stdout } = watched.run(name, orb, ...words);
      expect(status, `${words.join(' ')}: ${stdout}${stderr}`).to.equal(0);
      return stdout;
    };
    before(function () {
      need(this, 'rooms', 'strace');
      build(this, 'executables');
      watched = new Watched();
    });
    after(() => {
      if (watched === undefined) return;
      serving?.kill('SIGKILL');
      watched.remove();
    });

    it('calls nobody, and asks for no name: neither the server nor a command beside it', async () => {
      serving = watched.start('serve', orb, 'serve');
      await lineOf(serving, /^Serving on http:\/\/127\.0\.0\.1:8080$/);
      done('run', 'run', 'demo.echo@1.0.0', '{"text":"hello"}');
      const mail = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
      done('run', 'run', 'notify.email@1.0.0', JSON.stringify(mail));
      writeFileSync(join(watched.dir, 'receipt.json'), done('get', 'receipts', 'get'));
      expect(done('verify', 'receipts', 'verify', 'receipt.json')).to.match(/^VERIFIED$/m);
      done('doctor', 'doctor');
      for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
        done('run', 'run', 'demo.echo@1.0.0', '{"text":"again"}');
        done('doctor', 'doctor');
        await delay(Math.min(60_000, Math.max(0, end - Date.now())));
      }
      done('version', 'version');
      const exited = new Promise((resolve) => serving.once('exit', resolve));
      process.kill(Number(readFileSync(join(watched.dir, 'data/state/lock'), 'utf8').split('\n')[0]), 'SIGTERM');
      expect(await exited).to.equal(0);
      const sent = Object.fromEntries(watched.names.map((name) => [name, watched.sentTo(name)]));
      expect(sent).to.deep.equal({
        serve: [],
        run: [server],
        get: [server],
        verify: [],
        doctor: [server],
        version: [],
      });
      expect(watched.counters).to.deep.equal({ datagrams: 0, noRoutes: 0 });
    });

    it('would be found if it called an address, or asked for a name', () => {
      watched.run('stranger', process.execPath, '-e', stranger);
      const found = watched.sentTo('stranger');
      expect(found).to.include('192.0.2.1:80');
      expect(found.some((address) => address.endsWith(':53'))).to.equal(true);
      expect(watched.counters.noRoutes).to.be.above(0);
    });
  });
}

/** Resolves when a program prints a line that fits. */
function lineOf(child: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let told = '';
    child.stderr?.on('data', (part: Buffer) => (told = `${told}${part.toString()}`.slice(-2000)));
    child.once('exit', (code) => reject(new Error(`it ended with ${String(code)}: ${told}`)));
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (pattern.test(line)) resolve();
      });
  });
}
