import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import { BodyRoom, LargeBodies } from '../../../../kernel/http/body/large-bodies.ts';
import { send } from '../../../helpers/http.ts';
import { until } from '../../../helpers/until.ts';
import { fullKey, startHttp } from '../fixture.ts';

const MiB = 1024 * 1024;

/** Large bodies whose examination the test ends. */
function examined() {
  const asked: { readonly text: string; readonly settle: (error?: Error) => void }[] = [];
  const thread = {
    run: ({ bytes }: { readonly bytes: Uint8Array }) =>
      new Promise<undefined>((resolve, reject) => {
        const settle = (error?: Error): void => (error === undefined ? resolve(undefined) : reject(error));
        asked.push({ text: Buffer.from(bytes).toString(), settle });
      }),
    stop: async () => undefined,
  };
  let now = 0;
  const bodies = new LargeBodies({ clock: { monotonic: () => now }, thread });
  return { bodies, asked, pass: (ms: number) => void (now += ms) };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

describe('large bodies', () => {
  it('are examined by the other thread one after the other, callers in turn', async () => {
    const { bodies, asked } = examined();
    const parsed = ['1', '2', '3'].map((text) => bodies.parse('prn_many', Buffer.from(text)));
    const other = bodies.parse('prn_one', Buffer.from('4'));
    for (const expected of ['1', '2', '4', '3']) {
      await settled();
      expect(asked.at(-1)?.text).to.equal(expected);
      asked.at(-1)?.settle();
    }
    expect(await Promise.all([...parsed, other])).to.deep.equal([1, 2, 3, 4]);
  });

  it('that are refused let their caller rest, while those of others are examined', async () => {
    const { bodies, asked, pass } = examined();
    const refused = bodies.parse('prn_bad', Buffer.from('1')).catch((error: unknown) => error);
    const next = bodies.parse('prn_bad', Buffer.from('2'));
    await settled();
    pass(50);
    asked[0]?.settle(new PlatformError('malformed_json', 'no'));
    expect(await refused).to.include({ code: 'malformed_json' });
    const other = bodies.parse('prn_good', Buffer.from('3'));
    await until(
      () => asked.length,
      (count) => count > 1,
    );
    expect(asked.map(({ text }) => text)).to.deep.equal(['1', '3']);
    asked[1]?.settle();
    expect(await other).to.equal(3);
    pass(101);
    await until(
      () => asked.length,
      (count) => count > 2,
    );
    asked[2]?.settle();
    expect(await next).to.equal(2);
  });

  it('wait up to a bound of bytes for each caller, and one for all', async () => {
    const { bodies, asked } = examined();
    const codes: string[] = [];
    const ask = (caller: string, bytes: number): void =>
      void bodies.parse(caller, Buffer.alloc(bytes, ' ')).catch(({ code }: PlatformError) => codes.push(code));
    ask('prn_0', 1);
    await settled();
    for (let one = 0; one < 17; one += 1) ask('prn_1', MiB);
    await settled();
    expect(codes).to.deep.equal(['rate_limited']);
    for (const caller of ['prn_2', 'prn_3', 'prn_4']) ask(caller, 16 * MiB);
    ask('prn_5', 1);
    await settled();
    expect(codes).to.deep.equal(['rate_limited', 'overloaded']);
    expect(asked).to.have.length(1);
  });
});

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
