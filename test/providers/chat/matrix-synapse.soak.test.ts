import { expect } from 'chai';
import fc from 'fast-check';
import type { ProviderHandle } from '../../../kernel/adapter.ts';
import { startCutter, type Cutter } from '../../helpers/cutter.ts';
import { need } from '../../helpers/needs.ts';
import { startPlatform } from '../../helpers/platform.ts';
import { createSynapse, type Account, type Synapse } from '../../helpers/synapse.ts';
import { failure, noSignal } from '../email/smtp-bed.ts';
import { opened } from './doubles/bed.ts';
import { matrixBed } from './doubles/matrix.ts';
import { inputs, send } from './vendors/suite.ts';

// Slow: a homeserver is killed and started again. MATRIX_KILLS=50 and MATRIX_CUTS=all are the whole of it.
const kills = Number(process.env['MATRIX_KILLS'] ?? 3);
const places = process.env['MATRIX_CUTS'] === 'all' ? Infinity : 40;

describe('chat/matrix at a homeserver', function () {
  this.timeout(120_000 + kills * 20_000 + (places === Infinity ? 600_000 : 0));
  let synapse: Synapse;
  let cutter: Cutter;
  let orb: Account;
  let room: string;
  const handles: ProviderHandle[] = [];

  before(async function () {
    need(this, 'synapse');
    synapse = await createSynapse();
    await synapse.start();
    cutter = await startCutter(synapse.port);
    orb = await synapse.register('orb');
  });
  after(async () => {
    await cutter?.close();
    await synapse?.remove();
  });
  beforeEach(async () => {
    room = await synapse.room(orb);
  });
  afterEach(async () => {
    cutter.at = undefined;
    for (const handle of handles.splice(0)) await handle.close?.();
  });

  const configOf = (more: object = {}): object => ({
    ...{ base_url: cutter.url, access_token: orb.access_token, channels: { ops: room }, response_timeout_ms: 5000 },
    ...more,
  });
  const open = async (more?: object): Promise<ProviderHandle> => {
    const handle = await opened(matrixBed.adapter, configOf(more));
    handles.push(handle);
    return handle;
  };
  // Without the question for the state of the room: one connection, one request.
  const once = async (key: string, text = inputs.text): Promise<Record<string, unknown>> => {
    const handle = await opened(matrixBed.adapter, configOf({ allow_unencrypted: true }));
    try {
      return await send(handle, { key, given: { ...inputs, text } });
    } finally {
      await handle.close?.();
    }
  };
  const bodies = async (): Promise<readonly string[]> => (await synapse.messages(orb, room)).map(({ body }) => body);

  it('passes its probe, and not with another token', async () => {
    await (await open()).probe?.(noSignal());
    const error = await failure((await open({ access_token: 'syt_wrong' })).probe?.(noSignal()));
    expect(error.outcome).to.equal('provider_fault');
    expect(error.message).to.include('M_UNKNOWN_TOKEN');
    expect(await bodies()).to.deep.equal([]);
  });

  it('makes one event of two calls with one key, and two of two keys', async () => {
    const first = await once('one');
    expect(await once('one')).to.deep.equal(first);
    await once('two');
    const events = await synapse.messages(orb, room);
    expect(events).to.have.length(2);
    expect(events[0]?.event_id).to.equal(first['message_id']);
  });

  it('answers in a thread, notifies whom it names, and shows styles', async () => {
    const handle = await open({ people: { ada: '@ada:localhost' } });
    const { thread } = await send(handle);
    const given = { ...inputs, text: '**bold** & <b>', format: 'markdown', mentions: ['ada'], thread };
    await send(handle, { given, key: 'd' });
    const [, content] = await synapse.messages(orb, room);
    expect(content).to.deep.include({ 'm.mentions': { user_ids: ['@ada:localhost'] } });
    expect(content).to.have.nested.property('m\\.relates_to.event_id', thread);
    expect(content?.formatted_body).to.include('<strong>bold</strong> &amp; &lt;b&gt;');
  });

  it('makes at most one event wherever a connection ends, and one after the same call again', async () => {
    Object.assign(cutter.passed, { request: 0, answer: 0 });
    // All have the same length.
    const cut = async (key: string): Promise<unknown> => once(key, key.padEnd(20, '.'));
    await cut('whole');
    const whole = { ...cutter.passed };
    const counts: Record<string, number> = {};
    for (const way of ['request', 'answer'] as const)
      for (let after = 0; after < whole[way]; after += Math.max(1, Math.floor(whole[way] / places))) {
        const key = `${way}${after}`;
        cutter.at = { way, after };
        const { outcome } = await failure(cut(key));
        expect(outcome, key).to.be.oneOf(['not_sent', 'unknown']);
        counts[`${way} ${outcome}`] = (counts[`${way} ${outcome}`] ?? 0) + 1;
        cutter.at = undefined;
        await cut(key);
      }
    const sent = await bodies();
    expect(new Set(sent).size).to.equal(sent.length);
    expect(sent).to.have.length(1 + Object.values(counts).reduce((sum, count) => sum + count, 0));
    console.log(`      ${JSON.stringify(counts)}`);
  });

  it(`makes one event although the homeserver is killed between event and answer (${kills} times)`, async () => {
    for (let round = 0; round < kills; round += 1) {
      const key = `kill${round}`;
      // The state of the room is not asked for, so that the event is what has no answer.
      const handle = await open({ allow_unencrypted: true });
      cutter.at = { way: 'answer', after: 0 };
      expect((await failure(send(handle, { key, given: { ...inputs, text: key } }))).outcome).to.equal('unknown');
      await synapse.kill();
      cutter.at = undefined;
      expect((await failure(once(key, key))).outcome, 'while it is away').to.be.oneOf(['not_sent', 'unknown']);
      await synapse.start();
      await once(key, key);
    }
    const sent = await bodies();
    expect(sent).to.deep.equal(Array.from({ length: kills }, (_, round) => `kill${round}`));
  });

  it('is throttled by the limiter of the homeserver, and comes through when it says so', async () => {
    const limited = await synapse.register('limited', { limited: true });
    const { access_token } = limited;
    const channels = { ops: await synapse.room(limited) };
    const handle = await open({ access_token, channels });
    const errors = [];
    for (let index = 0; index < 5; index += 1)
      errors.push(
        await send(handle, { key: `l${index}` }).then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
    const refused = errors.find((error) => error !== undefined);
    expect(refused).to.include({ outcome: 'throttled' });
    expect((refused as { retry_after: number }).retry_after).to.be.within(1, 60);
  });

  it('refuses an encrypted room, and sends there when its settings allow it', async () => {
    const channels = { ops: await synapse.room(orb, { encrypted: true }) };
    room = channels.ops;
    const handle = await open({ channels });
    expect((await failure(handle.probe?.(noSignal()))).outcome).to.equal('provider_fault');
    expect((await failure(send(handle))).reason).to.equal('content_refused');
    expect(await bodies()).to.deep.equal([]);
    await send(await open({ channels, allow_unencrypted: true }));
    expect(await bodies()).to.deep.equal([inputs.text]);
  });

  it('sends nothing to a room that it is not in', async () => {
    const other = await synapse.register('other');
    const channels = { ops: await synapse.room(other) };
    for (const more of [{}, { allow_unencrypted: true }]) {
      const error = await failure(send(await open({ channels, ...more })));
      expect([error.outcome, error.reason]).to.deep.equal(['rejected', 'sender_refused']);
    }
  });

  it('sends 100 texts in any script as they are', async () => {
    const unit = fc.oneof(
      fc.constantFrom(...'ä€😀👩‍🚀שלום مرحبا\n\t"\\&<>*_`~\u200b\u202e'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    const texts = fc
      .sample(fc.array(unit, { minLength: 1, maxLength: 300 }), 100)
      // No control characters, which inputs may not hold, and no names to notify, which are made quiet.
      .map((parts) => parts.join('').replaceAll(/(?![\n\t])[\p{Cc}\u2028\u2029]|@/gu, ''))
      .map((text, index) => `${index}${text}`);
    const handle = await open();
    for (const [index, text] of texts.entries()) await send(handle, { key: `t${index}`, given: { ...inputs, text } });
    expect(await bodies()).to.deep.equal(texts);
  });

  it('is called again by a run whose answer was lost: one event, and the run is completed', async () => {
    const provider = { adapter: 'chat/matrix', config: { ...configOf(), access_token: { $env: 'TOKEN' } } };
    const platform = await startPlatform({
      env: { TOKEN: orb.access_token },
      platform: { providers: { matrix: provider }, bindings: { 'notify.chat@1.0.0': ['matrix'] } },
    });
    try {
      await platform.call('POST', '/orbisets/default/execute', {
        orb_id: 'notify.chat@1.0.0',
        inputs: { channel: 'ops', text: 'first' },
      });
      cutter.at = { way: 'answer', after: 0 };
      const lifted = new Promise<void>((resolve) => {
        setTimeout(() => {
          cutter.at = undefined;
          resolve();
        }, 50);
      });
      const run = platform.call('POST', '/orbisets/default/execute', {
        orb_id: 'notify.chat@1.0.0',
        inputs: { channel: 'ops', text: 'second' },
      });
      await lifted;
      expect((await run).body.status, JSON.stringify((await run).body)).to.equal('completed');
      expect(await bodies()).to.deep.equal(['first', 'second']);
    } finally {
      await platform.stop();
    }
  });
});
