import { createSocket, type Socket } from 'node:dgram';
import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { resolvePublic, systemResolve } from '../../../kernel/net/lookup.ts';

const typeA = 1;
const noSuchName = 3;

// RFC 1035 §4.1: the header and the question come back, with a code of the answer, and one address of 93.184.215.14.
function answer(query: Buffer, code: number): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(0x8180 | code, 2);
  const found = code === 0 && query.readUInt16BE(end - 4) === typeA;
  head.writeUInt16BE(found ? 1 : 0, 6);
  head.fill(0, 8, 12);
  const record = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 215, 14]);
  return found ? Buffer.concat([head, record]) : head;
}

describe('the look-up of a name that a caller gives', () => {
  let server: Socket;
  let servers: readonly string[];
  const held: (() => void)[] = [];
  beforeEach(async () => {
    held.length = 0;
    server = createSocket('udp4', (query, { address, port }) => {
      const name = query.toString('latin1', 12);
      const send = (): void => server.send(answer(query, name.includes('nobody') ? noSuchName : 0), port, address);
      if (name.includes('silent')) held.push(send);
      else send();
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    servers = [`127.0.0.1:${server.address().port}`];
  });
  afterEach(() => void server.close());

  it('is answered by DNS, whatever families the name has', async () => {
    expect(await resolvePublic('hooks.example.com', servers)).to.deep.equal([{ address: '93.184.215.14', family: 4 }]);
  });

  it('knows that localhost, and what is below it, is this machine', async () => {
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost'])
      expect(await resolvePublic(name, servers)).to.deep.equal([{ address: '127.0.0.1', family: 4 }]);
    expect(await resolvePublic('notlocalhost', servers)).to.deep.equal([{ address: '93.184.215.14', family: 4 }]);
  });

  it('rejects with the code of the answer', async () => {
    const thrown: unknown = await resolvePublic('nobody.example.com', servers).catch((error: unknown) => error);
    expect(thrown).to.have.property('code', 'ENOTFOUND');
  });

  it('does not hold up other look-ups while its DNS servers are silent', async () => {
    let ended = 0;
    const silent = Array.from({ length: 8 }, async (_, each) => {
      await resolvePublic(`${each}.silent.example.com`, servers);
      ended += 1;
    });
    expect(await systemResolve('localhost')).not.to.deep.equal([]);
    await until(
      () => held.length,
      (count) => count === 16,
      'the questions for both families of all names',
    );
    expect(ended).to.equal(0);
    for (const send of held) send();
    await Promise.all(silent);
  });
});
