import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServed, type Served } from '../../../helpers/served.ts';
import { until } from '../../../helpers/until.ts';

const perPrincipal = 16;
const readers = Number(process.env['EVENT_READERS'] ?? 160);
const perReader = 40 * 2 ** 10;
// Code and caches of the first requests.
const slack = 2 * 2 ** 20;

describe('many readers of GET /events', function () {
  this.timeout(180_000);
  it(`take less than 40 KiB each (${readers}), and each hears of a run`, async () => {
    const served = createServed({}, { preload: new URL('measuring.ts', import.meta.url) });
    const sockets: Socket[] = [];
    try {
      const { url, key } = await served.start();
      const call = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
        return (await response.json()) as Record<string, string>;
      };
      const run = (): Promise<unknown> =>
        call('POST', '/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } });
      for (let count = 0; count < 300; count++) await run();
      const before = await memoryOf(served);
      const texts: string[] = [];
      for (let count = 0; count < readers; count += perPrincipal) {
        const { key: own = '' } = await call('POST', '/keys', { scopes: ['runs:read'] });
        for (let more = 0; more < perPrincipal && count + more < readers; more++)
          sockets.push(listen(new URL(url), own, (text) => (texts[count + more] = (texts[count + more] ?? '') + text)));
      }
      const heard = (part: string) => () => texts.filter((text) => text.includes(part)).length;
      await until(heard('retry:'), (found) => found === readers);
      await run();
      await until(heard('event: run.completed'), (found) => found === readers);
      const grown = (await memoryOf(served)) - before;
      console.log(
        `      ${readers} readers: ${Math.round(grown / 2 ** 20)} MiB, ${Math.round(grown / readers / 1024)} KiB each`,
      );
      expect(grown).to.be.below(readers * perReader + slack);
      expect(await served.stop()).to.equal(0);
    } finally {
      for (const socket of sockets) socket.destroy();
      await served.remove();
    }
  });
});

function listen({ hostname, port }: URL, key: string, heard: (text: string) => void): Socket {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => heard(bytes.toString()));
  socket.write(`GET /events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

// What is in use once garbage is collected.
async function memoryOf(served: Served): Promise<number> {
  const file = join(served.home, 'memory.json');
  rmSync(file, { force: true });
  served.signal('SIGUSR2');
  await until(
    () => existsSync(file) && readFileSync(file, 'utf8') !== '',
    (written) => written,
  );
  return Number(readFileSync(file, 'utf8'));
}
