import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { shutAdapter, waywardAdapter, waywardOrb } from '../../helpers/wayward.ts';

interface Scenario {
  readonly behaviour: string;
  readonly effect: 'none' | 'idempotent' | 'irreversible';
  readonly body?: object;
  readonly is: readonly [http: number, code: string | undefined, status: string];
  /** 1 unless the rules allow to call again. */
  readonly attempts?: number;
}

const untyped = [
  'throws',
  'throws text',
  'answers undefined',
  'answers null',
  'answers a list',
  'answers a class',
] as const;
const unsound = ['answers NaN', 'answers a lone surrogate', 'answers a circle', 'answers other fields'] as const;

const scenarios: readonly Scenario[] = [
  { behaviour: 'answers', effect: 'none', is: [200, undefined, 'completed'] },
  ...untyped.map(
    (behaviour) => ({ behaviour, effect: 'none', is: [502, 'provider_failed', 'failed'], attempts: 3 }) as const,
  ),
  ...untyped.map(
    (behaviour) => ({ behaviour, effect: 'irreversible', is: [504, 'outcome_unknown', 'indeterminate'] }) as const,
  ),
  ...unsound.map(
    (behaviour) => ({ behaviour, effect: 'irreversible', is: [502, 'invalid_outputs', 'failed'] }) as const,
  ),
  { behaviour: 'hangs', effect: 'none', is: [504, 'run_timed_out', 'timed_out'] },
  { behaviour: 'hangs', effect: 'idempotent', is: [504, 'run_timed_out', 'timed_out'] },
  { behaviour: 'hangs', effect: 'irreversible', is: [504, 'outcome_unknown', 'indeterminate'] },
  { behaviour: 'knows that nothing was sent', effect: 'irreversible', is: [504, 'run_timed_out', 'timed_out'] },
  { behaviour: 'is rejected', effect: 'irreversible', is: [422, 'provider_rejected', 'failed'] },
  { behaviour: 'has a fault', effect: 'irreversible', is: [502, 'provider_failed', 'failed'] },
  { behaviour: 'is throttled', effect: 'irreversible', is: [503, 'provider_unavailable', 'failed'] },
  { behaviour: 'is not sent', effect: 'irreversible', is: [503, 'provider_unavailable', 'failed'], attempts: 3 },
  { behaviour: 'says no outcome there is', effect: 'irreversible', is: [504, 'outcome_unknown', 'indeterminate'] },
  {
    behaviour: 'says more than a receipt holds',
    effect: 'irreversible',
    is: [504, 'outcome_unknown', 'indeterminate'],
  },
  { behaviour: 'never comes back', effect: 'irreversible', is: [503, 'provider_unavailable', 'failed'] },
  {
    behaviour: 'comes back at no time',
    effect: 'irreversible',
    is: [503, 'provider_unavailable', 'failed'],
    attempts: 3,
  },
  { behaviour: 'is unknown', effect: 'irreversible', is: [504, 'outcome_unknown', 'indeterminate'] },
];

// Each scenario has an Orb and a provider of its own: what one provider does wrong must not be held against the next.
const idOf = (index: number): string => `test.s${index}@1.0.0`;
const orbs = Object.fromEntries([
  ...['none', 'irreversible'].map((effect) => [`orbs/test.${effect}@1.0.0.json`, waywardOrb(effect)] as const),
  ['orbs/test.patient@1.0.0.json', waywardOrb('irreversible', { orb_id: 'test.patient@1.0.0' })] as const,
  ...scenarios.map(({ behaviour, effect, is }, index) => {
    // On a busy machine, only a run that shall time out may do so.
    const time = behaviour === 'hangs' || is[1] === 'run_timed_out' ? {} : { timeout_ms: 5000 };
    return [`orbs/${idOf(index)}.json`, waywardOrb(effect, { orb_id: idOf(index), ...time })] as const;
  }),
]);
const names = ['none', 'irreversible', 'patient', ...scenarios.map((_, index) => `s${index}`)];
const wild = Object.fromEntries(names.map((name) => [`wild-${name}`, { adapter: 'wayward/local' }]));
const bindings = Object.fromEntries(names.map((name) => [`test.${name}@1.0.0`, [`wild-${name}`]]));

describe('runs', () => {
  const lines: string[] = [];
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      platform: {
        providers: {
          ...wild,
          shut: { adapter: 'wayward/shut' },
          outbox: { adapter: 'email/outbox' },
          echo: { adapter: 'echo/local' },
        },
        bindings: { ...bindings, 'test.shut@1.0.0': ['shut'] },
      },
      adapters: [waywardAdapter, shutAdapter],
      data: {
        ...orbs,
        'orbs/test.shut@1.0.0.json': waywardOrb('none', { orb_id: 'test.shut@1.0.0' }),
        'orbs/test.unserved@1.0.0.json': waywardOrb('none', { orb_id: 'test.unserved@1.0.0', capability: 'nobody' }),
        'orbisets/picky.json': { id: 'picky', tenant: 'default', orbs: ['test.*'], providers: ['other'] },
        'orbisets/acme.json': { id: 'acme', tenant: 'acme', orbs: ['*'] },
      },
      onLog: (line) => lines.push(line),
    });
  });
  after(() => platform.stop());

  const run = (orb_id: string, inputs: object, more: object = {}, orbiset = 'default'): Promise<Answer> =>
    platform.call('POST', `/orbisets/${orbiset}/execute`, { orb_id, inputs, ...more });

  // Every end has a run and a receipt that says the same, whatever the provider did.
  async function expectRecorded(body: Answer['body'], status: string): Promise<Answer['body']> {
    const { receipt_id } = body.receipt;
    expect((await platform.call('GET', `/runs/${body.run_id}`)).body).to.include({
      run_id: body.run_id,
      status,
      receipt_id,
    });
    const receipt = (await platform.call('GET', `/receipts/${receipt_id}`)).body;
    expect(receipt.signature_valid).to.equal(true);
    expect(receipt.statement.predicate).to.include({ run_id: body.run_id, status });
    return receipt.statement.predicate;
  }

  for (const [index, { behaviour, effect, is, attempts = 1 }] of scenarios.entries()) {
    const [http, code, status] = is;
    it(`a provider that ${behaviour}, effect ${effect}: ${http} ${code ?? ''}, run ${status}, with a receipt`, async () => {
      const answer = await run(idOf(index), { behaviour, echo: 'x' });
      expect([answer.status, answer.body.code]).to.deep.equal([http, code]);
      const predicate = await expectRecorded(answer.body, status);
      expect(predicate.facts.attempts).to.have.length(attempts);
      expect(JSON.stringify(answer.body)).not.to.match(/hunter2|\.ts:\d/);
      expect((await platform.call('GET', '/health', undefined, null)).status).to.equal(200);
    });
  }

  it('a throttled run tells when to come back', async () => {
    const { headers } = await run('test.none@1.0.0', { behaviour: 'is throttled' });
    expect(headers.get('retry-after')).to.equal('42');
  });

  it('an unknown outcome is not retryable, a failed connection is', async () => {
    expect((await run('test.irreversible@1.0.0', { behaviour: 'is unknown' })).body.retryable).to.equal(false);
    expect((await run('test.irreversible@1.0.0', { behaviour: 'is not sent' })).body.retryable).to.equal(true);
  });

  it("the caller's own shorter deadline stands in the receipt as the caller's", async () => {
    const own = await run('test.irreversible@1.0.0', { behaviour: 'hangs' }, { timeout_ms: 200 });
    const ownFacts = await expectRecorded(own.body, 'indeterminate');
    expect([ownFacts.facts.action.caller_deadline, ownFacts.score_fact.outcome_class]).to.deep.equal([
      true,
      'caller_fault',
    ]);
    const orbs = await run('test.irreversible@1.0.0', { behaviour: 'hangs' });
    const orbsFacts = await expectRecorded(orbs.body, 'indeterminate');
    expect([orbsFacts.facts.action.caller_deadline, orbsFacts.score_fact.outcome_class]).to.deep.equal([
      undefined,
      'orb_fault',
    ]);
  });

  it("the caller's own short deadline never marks a provider unhealthy", async () => {
    const status = async () => (await platform.call('GET', '/providers/test.patient@1.0.0/status')).body.providers[0];
    for (let n = 0; n < 8; n++) await run('test.patient@1.0.0', { behaviour: 'hangs' }, { timeout_ms: 5 });
    expect(await status()).to.include({ health: 'up', breaker: 'closed', error_rate: 0 });
  });

  it("a deadline beyond the Orb's own is refused without a run", async () => {
    const { status, body } = await run('test.none@1.0.0', { behaviour: 'answers' }, { timeout_ms: 251 });
    expect([status, body.code, body.errors[0].pointer, body.run_id]).to.deep.equal([
      422,
      'invalid_body',
      '#/timeout_ms',
      undefined,
    ]);
  });

  it('a provider that could not open is an attempt, not_sent, phase open, generation 0', async () => {
    const { status, body } = await run('test.shut@1.0.0', { behaviour: 'answers' });
    expect([status, body.code]).to.deep.equal([503, 'provider_unavailable']);
    const { facts } = await expectRecorded(body, 'failed');
    expect(facts.provider).to.deep.equal({ name: 'shut', generation: 0, health: 'down' });
    expect(facts.attempts[0]).to.include({ outcome: 'not_sent', phase: 'open', generation: 0, latency_ms: 0 });
  });

  it('an Orb that nothing serves fails with a receipt and no attempt', async () => {
    const { status, body } = await run('test.unserved@1.0.0', { behaviour: 'answers' });
    expect([status, body.code]).to.deep.equal([503, 'provider_unavailable']);
    const predicate = await expectRecorded(body, 'failed');
    expect([predicate.facts.attempts, predicate.facts.provider, predicate.score_fact.outcome_class]).to.deep.equal([
      [],
      undefined,
      'platform_fault',
    ]);
  });

  it("an Orbiset's allow-list that leaves no provider: 503 no_provider_allowed, with a receipt", async () => {
    const { status, body } = await run('test.none@1.0.0', { behaviour: 'answers', echo: 1 }, {}, 'picky');
    expect([status, body.code]).to.deep.equal([503, 'no_provider_allowed']);
    await expectRecorded(body, 'failed');
  });

  it('an Orb that the Orbiset does not admit is not found', async () => {
    const { status, body } = await run('demo.echo@1.0.0', { text: 'x' }, {}, 'picky');
    expect([status, body.code, body.run_id]).to.deep.equal([404, 'orb_not_found', undefined]);
  });

  it('inputs that cannot be signed are refused', async () => {
    const text = `{"orb_id":"test.none@1.0.0","inputs":{"behaviour":"answers","echo":"\\ud800"}}`;
    const { status, body } = await platform.call('POST', '/orbisets/default/execute', text);
    expect([status, body.code]).to.deep.equal([400, 'malformed_json']);
  });

  it('another tenant sees neither run nor receipt nor Orbiset; an admin sees all', async () => {
    const key = await platform.key({
      scopes: ['orbs:execute', 'runs:read', 'receipts:read', 'orbs:read'],
      tenant: 'acme',
    });
    const mine = (await run('demo.echo@1.0.0', { text: 'x' })).body;
    for (const path of [`/runs/${mine.run_id}`, `/receipts/${mine.receipt.receipt_id}`])
      expect((await platform.call('GET', path, undefined, key)).status, path).to.equal(404);
    expect(
      (
        await platform.call(
          'POST',
          '/orbisets/default/execute',
          { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } },
          key,
        )
      ).body.code,
    ).to.equal('orbiset_not_found');
    const theirs = (
      await platform.call('POST', '/orbisets/acme/execute', { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } }, key)
    ).body;
    expect(
      (await platform.call('GET', '/runs', undefined, key)).body.runs.map(({ run_id }: { run_id: string }) => run_id),
    ).to.deep.equal([theirs.run_id]);
    expect((await platform.call('GET', '/orbisets', undefined, key)).body.orbisets).to.have.length(1);
    expect((await platform.call('GET', `/runs/${theirs.run_id}`)).status).to.equal(200);
  });

  it('runs are listed newest first, filtered and by cursor, without a gap or a double', async () => {
    const all: string[] = [];
    let cursor = '';
    for (;;) {
      const { body } = await platform.call('GET', `/runs?limit=7${cursor}`);
      all.push(...body.runs.map(({ run_id }: { run_id: string }) => run_id));
      if (body.next_cursor === undefined) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(all).to.deep.equal([...new Set(all)].sort().reverse());
    const failed = await platform.call('GET', '/runs?status=indeterminate&limit=100');
    expect(failed.body.runs).not.to.have.length(0);
    expect(failed.body.runs.every(({ status }: { status: string }) => status === 'indeterminate')).to.equal(true);
    const orb = await platform.call('GET', '/runs?orb_id=test.shut@1.0.0');
    expect(orb.body.runs).to.have.length(1);
    expect((await platform.call('GET', '/runs?cursor=nonsense')).body.code).to.equal('invalid_parameter');
  });

  it('a test key is served by sandbox providers only and its receipt says sandbox', async () => {
    const key = await platform.key({ scopes: ['orbs:execute'], mode: 'test' });
    const { body } = await platform.call(
      'POST',
      '/orbisets/default/execute',
      { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } },
      key,
    );
    expect((await expectRecorded(body, 'completed')).mode).to.equal('sandbox');
  });

  it('no log line holds a key', () => {
    expect(lines.some((line) => line.includes(platform.adminKey))).to.equal(false);
  });
});
