import { expect } from 'chai';
import { definePlugin } from '../../../kernel/index.ts';
import { until } from '../../helpers/until.ts';
import { path, startTimed, type Timed } from './started.ts';
import { storedBytes } from '../../helpers/stored.ts';

const echo = { providers: { echo: { adapter: 'echo/local' } } };

describe('the course of a schedule', function () {
  this.timeout(60_000);
  let timed: Timed | undefined;
  const start = async (...given: Parameters<typeof startTimed>): Promise<Timed> => (timed = await startTimed(...given));
  const again = async (time: string, { platform, clock }: Timed): Promise<Timed> => {
    await platform.stop({ keep: true });
    clock.set(time);
    return start(time, { home: platform.home, clock });
  };
  afterEach(() => timed?.platform.stop());

  const shown = async (id: string) => (await timed?.platform.call('GET', `${path}/${id}`))?.body;
  const open = async () => (await timed?.platform.call('GET', '/incidents?state=open'))?.body.incidents as object[];
  const planned = (slots: readonly { planned_at: string }[]) => slots.map(({ planned_at }) => planned_at.slice(11, 16));

  it('goes on after a restart: no slot twice, and what was missed once or not at all', async () => {
    const first = await start('2026-11-23T10:30:00Z');
    const none = await first.make();
    const one = await first.make({ catch_up: 'one' });
    first.clock.set('2026-11-23T11:00:00Z');
    await first.slots(one, 1);
    await first.slots(none, 1);
    const second = await again('2026-11-23T11:00:10Z', first);
    const third = await again('2026-11-23T14:30:00Z', second);
    expect(planned(await third.slots(one, 2))).to.deep.equal(['12:00', '11:00']);
    const [missed] = await third.slots(none, 2);
    expect(missed).to.deep.include({ planned_at: '2026-11-23T12:00:00.000Z', outcome: 'missed' });
    expect((await shown(none)).next_at).to.equal('2026-11-23T15:00:00.000Z');
    const runs = (await third.platform.call('GET', '/runs')).body.runs as object[];
    expect(runs).to.have.length(3);
  });

  it('hands over as soon as the clock is right again what a clock that was ahead has put off', async () => {
    let asked = 0;
    let fails = true;
    const decider = definePlugin({
      name: 'decider',
      start({ hooks }) {
        hooks.authorize.tap('decider', ({ context }) => {
          asked++;
          if (fails) throw new Error('the engine is away');
          const decision_id = String(context['decision_id']);
          return { allow: true, decision_id, policies: [], warns: 0, shadow_denies: 0, reasons: [] };
        });
        return {};
      },
    });
    const options = { platform: { ...echo, authorize: 'decider' }, plugins: [decider] };
    const { make, slots, clock } = await start('2026-11-23T10:30:00Z', options);
    const id = await make({ catch_up: 'one' });
    clock.set('2026-11-24T11:30:00Z');
    await until(
      () => asked,
      (times) => times > 0,
      'the slot that is put off',
    );
    // What follows the question is written before this is.
    await make();
    fails = false;
    clock.set('2026-11-23T11:00:01Z');
    expect(planned(await slots(id, 1))).to.deep.equal(['11:00']);
  });

  it('pauses by its caller, and goes on with the next slot', async () => {
    const { make, slots, platform, clock } = await start('2026-11-23T10:30:00Z');
    const id = await make({ catch_up: 'one' });
    expect((await platform.call('POST', `${path}/${id}/pause`)).body).to.include({ state: 'paused' });
    expect(await shown(id)).not.to.have.any.keys('next_at', 'reason');
    clock.set('2026-11-23T13:30:00Z');
    await platform.call('POST', `${path}/${id}/resume`);
    expect((await shown(id)).next_at).to.equal('2026-11-23T14:00:00.000Z');
    clock.set('2026-11-23T14:00:00Z');
    expect(planned(await slots(id, 1))).to.deep.equal(['14:00']);
    expect(await open()).to.deep.equal([]);
  });

  it('pauses when its key has expired, also across a restart; its incident ends when it is deleted', async () => {
    const first = await start('2026-11-23T10:30:00Z');
    const scopes = ['orbs:execute', 'schedules:manage'];
    const id = await first.make({}, await first.platform.key({ scopes, expires_at: '2026-11-23T10:45:00Z' }));
    const second = await again('2026-11-23T11:00:01Z', first);
    await until(
      () => shown(id),
      ({ state }) => state === 'paused',
      'the pause',
    );
    expect(await shown(id)).to.include({ reason: 'credential_revoked' });
    await until(open, (found) => found.length === 1, 'the incident');
    const third = await again('2026-11-23T11:10:00Z', second);
    expect(await open()).to.have.length(1);
    expect((await third.platform.call('DELETE', `${path}/${id}`)).status).to.equal(204);
    await until(open, (found) => found.length === 0, 'the end of the incident');
    expect((await third.platform.call('GET', `${path}/${id}`)).status).to.equal(404);
  });

  it('notes a slot that the policy denies, with its run, and tells the policy the channel', async () => {
    let asked: unknown;
    const decider = definePlugin({
      name: 'decider',
      start({ hooks }) {
        hooks.authorize.tap('decider', ({ context }) => {
          asked = context['channel'];
          const decision_id = String(context['decision_id']);
          return { allow: false, decision_id, policies: [], warns: 0, shadow_denies: 0, reasons: [{ code: 'never' }] };
        });
        return {};
      },
    });
    const options = { platform: { ...echo, authorize: 'decider' }, plugins: [decider] };
    const { make, slots, platform, clock } = await start('2026-11-23T10:30:00Z', options);
    const id = await make();
    clock.set('2026-11-23T11:00:00Z');
    const [slot] = await slots(id, 1);
    expect(slot).to.include({ outcome: 'denied', status: 'denied', code: 'access_denied' });
    expect(asked).to.deep.equal({ kind: 'schedule' });
    const { body } = await platform.call('GET', `/runs/${slot?.run_id ?? ''}`);
    expect(body).to.include({ status: 'denied', orb_id: 'demo.echo@1.0.0' });
    expect(await shown(id)).to.include({ state: 'active', next_at: '2026-11-23T12:00:00.000Z' });
  });

  it('keeps its inputs sealed, and lists page by page', async () => {
    const { make, platform } = await start('2026-11-23T10:30:00Z');
    const ids = [await make({ inputs: { text: 'a secret word' } }), await make(), await make()].reverse();
    const first = (await platform.call('GET', `${path}?limit=2`)).body;
    const rest = (await platform.call('GET', `${path}?limit=2&cursor=${first.next_cursor}`)).body;
    const listed = [...first.schedules, ...rest.schedules] as { schedule_id: string }[];
    expect(listed.map(({ schedule_id }) => schedule_id)).to.deep.equal(ids);
    expect(JSON.stringify(listed)).not.to.include('a secret word');
    const bytes = await storedBytes(platform.home);
    expect([bytes.includes('a secret word'), bytes.includes(ids[0] ?? '')]).to.deep.equal([false, true]);
  });
});
