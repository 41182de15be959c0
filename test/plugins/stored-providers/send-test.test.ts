import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { builtin } from '../../helpers/shipped.ts';
import { recordOrb, createRecorder } from '../../helpers/recorder.ts';

interface Row {
  readonly adapter: string;
  readonly config?: object;
  readonly asks: readonly string[];
  readonly test: object;
  /** Where the message is found: a file of the outbox, or the outputs. */
  readonly taken: 'outbox' | 'outputs';
}

const page = createServer((request, response) => response.end(`${request.method} ${request.url}`));
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** One provider of each capability that ships, and what its test is given. */
const rows: Readonly<Record<string, Row>> = {
  email: {
    adapter: 'email/outbox',
    asks: ['to', 'from_address'],
    test: { to: 'ada@example.org', inputs: { from_address: 'orb@example.org' } },
    taken: 'outbox',
  },
  chat: { adapter: 'chat/outbox', asks: ['channel'], test: { to: 'ops' }, taken: 'outbox' },
  sms: { adapter: 'sms/outbox', asks: ['to'], test: { to: '+4915123456789' }, taken: 'outbox' },
  push: { adapter: 'push/outbox', asks: ['to'], test: { to: { topic: 'alerts' } }, taken: 'outbox' },
  llm: { adapter: 'llm/canned', asks: ['model'], test: { to: 'small' }, taken: 'outputs' },
  http: { adapter: 'http/client', asks: ['url'], test: {}, taken: 'outputs' },
  echo: { adapter: 'echo/local', asks: [], test: {}, taken: 'outputs' },
};
const capabilities = Object.keys(rows);
const nameOf = (capability: string): string => `${capability}-tested`;

describe('a test of a provider', function () {
  this.timeout(60_000);
  const recorder = createRecorder();
  let platform: TestPlatform;
  before(async () => {
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const allow = [{ host: '127.0.0.1', port: portOf(page), private: true, plain: true }];
    const configs: Readonly<Record<string, object>> = { http: { allow }, ...outboxes() };
    const providers = Object.entries(rows).map(([capability, { adapter }]) => [
      nameOf(capability),
      { adapter, config: configs[capability] ?? {} },
    ]);
    const recording = (name: string) => ({ adapter: 'record/local', config: { name } });
    platform = await startPlatform({
      adapters: [recorder.adapter],
      platform: {
        providers: {
          ...(Object.fromEntries(providers) as object),
          ...{ 'first-outbox': { adapter: 'email/outbox' }, used: recording('used'), spare: recording('spare') },
        },
        // Orbs that use other providers, or none.
        bindings: { 'notify.email@1.0.0': ['first-outbox'], 'test.record@1.0.0': ['used'] },
      },
      data: { 'orbs/test.record@1.0.0.json': recordOrb() },
    });
  });
  after(async () => {
    await platform?.stop();
    page.close();
  });

  const outboxes = (): Readonly<Record<string, object>> =>
    Object.fromEntries(
      Object.entries(rows)
        .filter(([, { taken }]) => taken === 'outbox')
        .map(([capability]) => [capability, { directory: `outbox-${capability}` }]),
    );
  const test = (name: string, body: object = {}, key?: string): Promise<Answer> =>
    platform.call('POST', `/providers/${name}/test`, body, key);
  const given = (capability: string): object =>
    capability === 'http' ? { to: `http://127.0.0.1:${portOf(page)}/health` } : (rows[capability]?.test ?? {});
  const written = (capability: string): readonly string[] => {
    const folder = join(platform.stateDir, `outbox-${capability}`);
    const files = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isFile());
    return files.map(({ name }) => readFileSync(join(folder, name), 'utf8'));
  };
  const receiptOf = async (answer: Answer) =>
    (
      await platform.call(
        'GET',
        `/receipts/${answer.body.receipt?.receipt_id ?? answer.body.result.receipt.receipt_id}`,
      )
    ).body;

  it('is known for each capability that ships, but for tools, since no harmless one is known', () => {
    const shipped = new Set(builtin.adapters.map(({ capability }) => capability));
    expect([...shipped].filter((one) => one !== 'mcp')).to.have.members(capabilities);
    for (const { capability, name, sample } of builtin.adapters)
      expect(sample?.asks, name).to.deep.equal(rows[capability]?.asks);
  });

  for (const capability of capabilities)
    it(`of ${capability} is a run with a receipt, by the provider alone, and says what it is`, async () => {
      const name = nameOf(capability);
      const { body: shown } = await platform.call('GET', `/providers/${name}`);
      const answer = await test(name, given(capability));
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      const { inputs, orb_id, result } = answer.body;
      expect(orb_id).to.equal(shown.test.orb_id);
      expect(inputs).to.deep.include(shown.test.inputs);
      const text = `Test of the provider ${name} by the Agent Orb installation`;
      const place = rows[capability]?.taken === 'outbox' ? written(capability).join('\n') : JSON.stringify(answer.body);
      expect(place.replaceAll('=\r\n', '')).to.include(capability === 'http' ? 'GET /health' : text);
      const { statement, signature_valid } = await receiptOf(answer);
      expect(signature_valid).to.equal(true);
      const { facts, run_id } = statement.predicate;
      expect(run_id).to.equal(result.run_id);
      expect(facts.channel).to.deep.equal({ kind: 'test' });
      expect(facts.attempts.map((one: { provider: string }) => one.provider)).to.deep.equal([name]);
    });

  it('names the installation', async () => {
    const answer = await test(nameOf('echo'));
    const [installation] = (await receiptOf(answer)).statement.predicate.log.origin.split('.');
    expect(answer.body.inputs.text.endsWith(` ${installation}.`), answer.body.inputs.text).to.equal(true);
  });

  it('opens a provider that no Orb uses, and leaves its order as it was', async () => {
    const order = async () =>
      (await platform.call('GET', '/providers/notify.email@1.0.0/status')).body.providers.map(
        ({ name }: { name: string }) => name,
      );
    expect(await order()).to.deep.equal(['first-outbox']);
    const answer = await test(nameOf('email'), given('email'));
    expect(answer.status).to.equal(200);
    expect(await order()).to.deep.equal(['first-outbox']);
  });

  it('is never counted by reputation: its receipt names no caller', async () => {
    const body = { orb_id: 'test.record@1.0.0', inputs: { token: 'a test' } };
    const tested = await test('spare', body);
    expect(tested.status, JSON.stringify(tested.body)).to.equal(200);
    const scored = (await receiptOf(tested)).statement.predicate;
    expect([scored.mode, scored.score_fact]).to.deep.equal(['live', { is_self: false, outcome_class: 'ok' }]);
    const run = await platform.call('POST', '/orbisets/default/execute', body);
    const usual = (await platform.call('GET', `/receipts/${run.body.receipt.receipt_id}`)).body.statement.predicate;
    expect(usual.score_fact.caller_ref).to.match(/^[0-9a-f]{64}$/);
    expect(usual.facts).to.not.have.property('channel');
  });

  it('that fails says why, by the problem and the receipt of its run, and no other provider is tried', async () => {
    recorder.behaviour['spare'] = {
      probe: () => {
        throw new Error('no connection');
      },
      execute: () => {
        throw new Error('refused');
      },
    };
    const answer = await test('spare', { orb_id: 'test.record@1.0.0', inputs: { token: 'failing' } });
    recorder.behaviour['spare'] = undefined;
    expect(answer.status).to.be.at.least(500);
    const { facts } = (await receiptOf(answer)).statement.predicate;
    expect(facts.attempts.map((one: { provider: string }) => one.provider)).to.deep.equal(['spare']);
  });

  it('goes by policy and by mode: a test key tests sandbox providers alone', async () => {
    const denied = await test(nameOf('echo'), {}, await platform.key({ name: 'few', scopes: ['providers:manage'] }));
    // The shipped policy asks for the scope of runs.
    expect([denied.status, denied.body.code]).to.deep.equal([403, 'access_denied']);
    expect((await receiptOf(denied)).statement.predicate.status).to.equal('denied');
    const scopes = ['providers:manage', 'orbs:execute'];
    const key = await platform.key({ name: 'tester', scopes, mode: 'test' });
    expect((await test(nameOf('echo'), {}, key)).status).to.equal(200);
    const live = await test('spare', { orb_id: 'test.record@1.0.0', inputs: { token: 'live' } }, key);
    expect([live.status, live.body.code]).to.deep.equal([503, 'no_provider_allowed']);
  });

  it('of the same Idempotency-Key is sent once', async () => {
    const send = async () => {
      const response = await fetch(`${platform.url}/providers/${nameOf('sms')}/test`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json' },
          'idempotency-key': 'tested-once',
        },
        body: JSON.stringify(given('sms')),
      });
      const { result } = (await response.json()) as { result: { run_id: string } };
      return [result.run_id, response.headers.get('idempotent-replayed')];
    };
    const before = written('sms').length;
    const [run] = await send();
    expect(await send()).to.deep.equal([run, 'true']);
    expect(written('sms')).to.have.length(before + 1);
  });

  const refusals: readonly (readonly [title: string, name: string, body: object, status: number, code: string])[] = [
    ['an unknown provider', 'nobody', {}, 404, 'provider_not_found'],
    ['a missing recipient', nameOf('sms'), {}, 422, 'invalid_inputs'],
    ['a sender that is missing', nameOf('email'), { to: 'ada@example.org' }, 422, 'invalid_inputs'],
    ['a recipient where none is asked', nameOf('echo'), { to: 'ada' }, 422, 'invalid_body'],
    ['no Orb, where none is known', 'spare', { inputs: { token: 'x' } }, 422, 'invalid_body'],
    ['an unknown Orb', nameOf('echo'), { orb_id: 'demo.other@1.0.0' }, 404, 'orb_not_found'],
    ['an Orb of another capability', nameOf('echo'), { orb_id: 'notify.sms@1.0.0' }, 422, 'invalid_provider'],
    ['an unknown Orbiset', nameOf('echo'), { orbiset_id: 'other' }, 404, 'orbiset_not_found'],
  ];
  for (const [title, name, body, status, code] of refusals)
    it(`with ${title} is refused: ${code}`, async () => {
      const answer = await test(name, body);
      expect([answer.status, answer.body.code], JSON.stringify(answer.body)).to.deep.equal([status, code]);
    });

  it('takes the scope providers:manage', async () => {
    const key = await platform.key({ name: 'caller', scopes: ['orbs:execute', 'providers:read'] });
    const answer = await test(nameOf('echo'), {}, key);
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'insufficient_scope']);
  });
});
