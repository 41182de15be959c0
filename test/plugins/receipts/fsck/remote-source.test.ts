import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { atUrl } from '../../../../plugins/receipts/fsck/remote-source.ts';

describe('a log at an address whose server limits the rate', () => {
  let server: Server;
  let asked: number;
  let retryAfter: string;
  before(async () => {
    server = createServer((_, response) => {
      asked += 1;
      if (asked > 1) return response.end('there');
      return response.writeHead(429, { 'retry-after': retryAfter }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  const read = async (): Promise<string> => {
    const bytes = await atUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)('checkpoint');
    return Buffer.from(bytes ?? []).toString();
  };

  // No time passes: a date that is over is a wait of no seconds.
  for (const text of ['0', 'Sat, 21 Nov 2015 12:00:00 GMT', 'Saturday, 21-Nov-15 12:00:00 GMT'])
    it(`is read again after the time that it names: ${text}`, async () => {
      [asked, retryAfter] = [0, text];
      expect([await read(), asked]).to.deep.equal(['there', 2]);
    });

  for (const text of ['', '-5', '0x0', '0.1', '0, 0', '31', 'soon', '2015-11-21T12:00:00Z'])
    it(`is not read again when it names none, or one that is far: ${JSON.stringify(text)}`, async () => {
      [asked, retryAfter] = [0, text];
      const failed = await read().catch((error: unknown) => String(error));
      expect([failed, asked]).to.deep.equal(['Error: checkpoint: the server responded with status 429', 1]);
    });
});
