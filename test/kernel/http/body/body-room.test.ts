import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { BodyRoom } from '../../../../kernel/http/body/body-room.ts';
import { send } from '../../../helpers/http.ts';
import { until } from '../../../helpers/until.ts';
import { fullKey, startHttp } from '../fixture.ts';

const MiB = 1024 * 1024;

describe('the room for bodies that arrive', () => {
  it('is bounded per caller, and apart for callers with and without a key', () => {
    const room = new BodyRoom();
    const fill = (name: string, open: boolean, callers: number): void => {
      for (let one = 0; one < callers; one += 1) room.take(`${name} ${one}`, 32 * MiB, { open });
    };
    const release = room.take('a', 32 * MiB, { open: false });
    expect(() => room.take('a', 1, { open: false })).to.throw(/too many large bodies/);
    release();
    fill('stranger', true, 4);
    expect(() => fill('other stranger', true, 1)).to.throw(/too many large bodies/);
    fill('key', false, 8);
    expect(() => fill('other key', false, 1)).to.throw(/too many large bodies/);
  });

  it('is not all taken by one key that withholds its bodies', async () => {
    const { base, http } = await startHttp();
    const sockets: Socket[] = [];
    const answers: string[] = [];
    try {
      const { hostname, port } = new URL(base);
      for (let count = 0; count < 40; count += 1) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined).on('data', (bytes) => answers.push(bytes.toString()));
        socket.write(
          `POST /echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fullKey}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${MiB}\r\n\r\n{`,
        );
        sockets.push(socket);
      }
      await until(
        () => answers.filter((text) => text.startsWith('HTTP/1.1 503 ')).length,
        (count) => count === 8,
        'refusals',
      );
      expect((await send(base, '/echo/x', { key: fullKey, json: { text: 'small' } })).status).to.equal(200);
    } finally {
      for (const socket of sockets) socket.destroy();
      await http.drain(0);
    }
  });
});
