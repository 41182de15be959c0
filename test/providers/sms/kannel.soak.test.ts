import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { need } from '../../helpers/needs.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { login, startGateway, type Gateway, type Got } from './gateway.ts';
import { randomFrom, randomText } from './texts.ts';

const count = Number(process.env['KANNEL_TEXTS'] ?? 100);
const rounds = Number(process.env['KANNEL_ROUNDS'] ?? 3);
const number = (at: number): string => `+4915${String(at).padStart(9, '0')}`;

describe('a real Kannel gateway', function () {
  this.timeout(120_000 + count * 500 + rounds * 30_000);
  let gateway: Gateway;
  let platform: TestPlatform;
  let front: Server;
  before(async function () {
    need(this, 'kannel');
    gateway = await startGateway();
    // The public address of the server, which is known before the server starts.
    front = createServer((request, response) => {
      const passed = fetch(`${platform.url}${request.url ?? ''}`, { method: request.method ?? '' });
      void passed.then((answer) => response.writeHead(answer.status).end());
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const { username } = login;
    const config = { base_url: gateway.url, username, password: { $env: 'PASSWORD' }, senders: { default: '4915' } };
    const brief = { ...config, response_timeout_ms: 3000 };
    platform = await startPlatform({
      platform: {
        providers: {
          kannel: { adapter: 'sms/kannel', config: brief },
          wrong: { adapter: 'sms/kannel', config: { ...brief, password: { $env: 'WRONG' } } },
        },
        bindings: { 'notify.sms@1.0.0': ['kannel'] },
      },
      env: {
        ...{ PASSWORD: login.password, WRONG: 'wrong' },
        ORB_PUBLIC_URL: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
      },
    });
  });
  after(async () => {
    await platform?.stop();
    await gateway?.stop();
    front?.close();
  });

  const send = (to: string, text: string): Promise<Answer> =>
    platform.call('POST', '/orbisets/default/execute', {
      orb_id: 'notify.sms@1.0.0',
      inputs: { to, text, max_segments: 10 },
    });
  const gotBy = (to: string): readonly Got[] => gateway.got.filter((one) => one.to === to);
  const arrived = (to: string, segments: number): Promise<readonly Got[]> =>
    until(
      () => gotBy(to),
      (found) => found.length >= segments,
      `the parts for ${to}`,
      20,
    );

  it(`passes on ${count} random texts as they are, in as many parts as were counted`, async () => {
    const random = randomFrom(7);
    for (let at = 0; at < count; at += 1) {
      // The driver ends a message of the GSM alphabet at a line break, which its own protocol ends lines by.
      const text = randomText(random).slice(0, 600).toWellFormed().replaceAll('\ufffd', '?').replaceAll('\n', '!');
      const { body } = await send(number(at), text);
      expect(body.status, `${at}: ${JSON.stringify([text, body.detail])}`).to.equal('completed');
      const { encoding, segments } = body.outputs;
      const parts = [...(await arrived(number(at), segments))].sort((a, b) => (a.part?.[2] ?? 0) - (b.part?.[2] ?? 0));
      const bytes = Buffer.concat(parts.map((part) => part.bytes));
      const got = encoding === 'gsm7' ? bytes.toString('utf8') : bytes.swap16().toString('utf16le');
      expect(got).to.equal(text);
      expect(parts.map(({ part }) => part?.[2] ?? 1)).to.deep.equal(
        Array.from({ length: segments }, (_, part) => part + 1),
      );
    }
  });

  it('refuses a wrong login before a swap to it', async () => {
    const { status, body } = await platform.call('POST', '/providers/notify.sms@1.0.0/swap', { provider: 'wrong' });
    expect([status, body.code]).to.deep.equal([502, 'probe_failed']);
    const { body: found } = await platform.call('GET', '/providers/notify.sms@1.0.0/status');
    expect(found.active_provider).to.equal('kannel');
  });

  it('reports a delivery at the address that the message named', async () => {
    const source = { name: 'kannel-reports', vendor: 'kannel', may_name: { providers: ['kannel'] } };
    const made = await platform.call('POST', '/sources', source);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const { body } = await send(number(3_000_000), 'Reported');
    const run = await until(
      async () => (await platform.call('GET', `/runs/${body.run_id}`)).body,
      ({ delivery }) => delivery?.state === 'delivered',
      'the report',
    );
    expect(run.status).to.equal('completed');
    expect(run).not.to.have.property('resolution');
  });

  for (let round = 1; round <= rounds; round += 1)
    it(`sends at most one message when the gateway is killed in the middle of a call (${round})`, async () => {
      const to = number(1_000_000 + round);
      gateway.pause();
      const { status, body } = await send(to, 'Once');
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([504, 'outcome_unknown']);
      await gateway.restart();
      const after = number(2_000_000 + round);
      await until(
        async () => (await send(after, 'Alive')).body.status,
        (found) => found === 'completed',
        'the gateway',
      );
      await arrived(after, 1);
      expect(gotBy(to).length).to.be.at.most(1);
      const run = (await platform.call('GET', `/runs/${body.run_id}`)).body;
      expect(run.status).to.equal('indeterminate');
    });
});
