import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { openOutbound, type Outbound } from '../../../kernel/net/outbound.ts';

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('an answer after others that nobody asked for', () => {
  let server: Server;
  let outbound: Outbound;
  let write: (socket: Socket) => unknown;
  const open = new Set<Socket>();
  before(async () => {
    server = createServer((socket) => {
      open.add(socket.on('error', () => undefined));
      socket.on('data', (chunk) => void (chunk.includes('POST') && write(socket)));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    outbound = await openOutbound({ max_connections: 1, connect_timeout_ms: 10_000, allow: { exempt: () => true } });
  });
  after(async () => {
    await outbound.close();
    for (const socket of open) socket.destroy();
    server.close();
  });

  const ask = async (): Promise<string> => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const request = { origin, path: '/', method: 'POST', headers: {}, body: Buffer.from('{}') };
    const { statusCode, body } = await outbound.request(request);
    let text = '';
    for await (const chunk of body) text += chunk.toString();
    return `${statusCode} ${text}`;
  };

  for (const [name, text] of [
    ['none', answer],
    ['100 Continue', goOn + answer],
    ['100 Continue twice', goOn + goOn + answer],
    ['100 Continue and other hints', hints + goOn + hints + answer],
  ] as const) {
    it(`is read behind ${name}, twice on one connection`, async () => {
      write = (socket) => socket.write(text);
      const connections = open.size;
      expect([await ask(), await ask()]).to.deep.equal(['200 ok', '200 ok']);
      expect(open.size - connections).to.be.at.most(1);
    });

    it(`is read behind ${name}, however its bytes arrive`, async () => {
      write = async (socket) => {
        socket.setNoDelay(true);
        for (const byte of text) {
          socket.write(byte);
          await turn();
        }
      };
      expect(await ask()).to.equal('200 ok');
    });
  }
});
