import { expect } from 'chai';
import type { Held, Outcome } from '../../../../plugins/clients/typescript/src/surface.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { startApproving, type Approving } from '../../approvals/started.ts';
import { faultsOf } from '../judged.ts';
import { countedOrb } from '../vendor.ts';

/** A client of either language. */
export interface Caller {
  run(token: string, options?: { readonly hold: 'refuse' }): Promise<Outcome>;
  /** Waits for the end of an outcome of this caller; times are ms. */
  settle(outcome: Outcome, timeout: number): Promise<Outcome>;
}

/** A server that asks people about each call, and counts effects. */
export interface Office {
  readonly desk: Approving;
  readonly recorder: Recorder;
  /** The keys that a caller pins. */
  readonly pin: { readonly keys: [] };
}

/** Opens the office. */
export async function openOffice(): Promise<Office> {
  const recorder = createRecorder();
  const desk = await startApproving(
    {},
    {
      settings: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } } },
      adapters: [recorder.adapter],
      data: { [`orbs/${countedOrb}.json`]: recordOrb() },
    },
  );
  const { body } = await desk.call('GET', '/.well-known/jwks.json', undefined, null);
  return { desk, recorder, pin: body as Office['pin'] };
}

interface Case {
  readonly name: string;
  /** What people do with the run. */
  readonly act: (desk: Approving, held: Held) => Promise<unknown>;
  readonly end: Readonly<Record<string, unknown>>;
  readonly effects: 0 | 1;
}

const decide =
  (decision: 'approve' | 'refuse'): Case['act'] =>
  ({ decide: by }, held) =>
    by(String(held.approval?.['id']), 'ada', decision);

const cases: readonly Case[] = [
  { name: 'approve it', act: decide('approve'), end: { kind: 'completed' }, effects: 1 },
  { name: 'refuse it', act: decide('refuse'), end: { kind: 'denied', code: 'approval_refused' }, effects: 0 },
  {
    name: 'cancel it',
    act: ({ call, keys }, { runId }) => call('POST', `/runs/${runId}/cancel`, {}, keys.agent),
    end: { kind: 'failed', code: 'run_cancelled', acted: false },
    effects: 0,
  },
];

/** Defines the tests of held runs for a client. */
export function testHeld(open: (office: Office) => Promise<Caller> | Caller, place: () => Office): void {
  let caller: Caller;
  before(async () => {
    caller = await open(place());
  });
  const effects = (token: string): number => place().recorder.calls.filter((call) => call.token === token).length;
  const hold = async (token: string): Promise<Held> => {
    const outcome = await caller.run(token);
    if (outcome.kind !== 'held') return expect.fail(JSON.stringify(outcome));
    return outcome;
  };

  for (const { act, effects: count, end, name } of cases)
    it(`are held until people ${name}, and then settle`, async () => {
      const token = name.replace(' ', '-');
      const held = await hold(token);
      expect(held.runId).to.match(/^run_/);
      await act(place().desk, held);
      const settled = await caller.settle(held, 30_000);
      expect(settled).to.deep.include({ ...end, runId: held.runId });
      expect(effects(token)).to.equal(count);
      expect(faultsOf([{ token, outcome: settled }], new Map([[token, count]]))).to.deep.equal([]);
    });

  it('are still held when nobody decided while the caller waited, and settle later', async () => {
    const held = await hold('later');
    const early = await caller.settle(held, 2500);
    expect([early.kind, effects('later')]).to.deep.equal(['held', 0]);
    await decide('approve')(place().desk, held);
    expect((await caller.settle(early, 30_000)).kind).to.equal('completed');
    expect(effects('later')).to.equal(1);
  });

  it('are the same run when they are called again with the same key', async () => {
    const held = await hold('again');
    expect((await hold('again')).runId).to.equal(held.runId);
    await decide('approve')(place().desk, held);
    expect((await caller.settle(held, 30_000)).kind).to.equal('completed');
    expect(await caller.run('again')).to.deep.include({ kind: 'completed', replayed: true, runId: held.runId });
    expect(effects('again')).to.equal(1);
  });

  it('are denied at once when the caller cannot wait', async () => {
    const refused = await caller.run('at-once', { hold: 'refuse' });
    expect(refused).to.deep.include({ kind: 'denied', code: 'approval_required' });
    expect(effects('at-once')).to.equal(0);
  });

  // The last one: it moves the clock of the server.
  it('are denied when nobody decided in time', async () => {
    const held = await hold('late');
    place().desk.clock.set('2026-11-23T12:00:00Z');
    expect(await caller.settle(held, 30_000)).to.deep.include({ kind: 'denied', code: 'approval_expired' });
    expect(effects('late')).to.equal(0);
  });
}
