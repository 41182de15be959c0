import { expect } from 'chai';
import type { Binding, Slot } from '../../../../plugins/runtime/provider/binding.ts';
import type { Settled } from '../../../../plugins/runtime/dispatch/run-record.ts';
import { usableBy } from '../../../../plugins/runtime/run/metrics.ts';
import { orbViews } from '../../../../plugins/runtime/run/provider-views.ts';

interface Given {
  readonly sandbox?: boolean;
  readonly open?: boolean;
  readonly measured?: string;
  readonly breaker?: string;
}

function slot({ sandbox = false, open = true, measured = 'up', breaker = 'closed' }: Given = {}): Slot {
  const provider = { adapter: { sandbox } };
  return {
    provider,
    health: { measured, breaker: { state: breaker } },
    generation: open ? {} : undefined,
  } as unknown as Slot;
}

describe('the providers of an Orb', () => {
  const rows: readonly (readonly [string, readonly Given[], boolean | undefined])[] = [
    ['one that is up', [{}], true],
    ['one that nobody has measured', [{ measured: 'unknown' }], true],
    ['one that answers badly', [{ measured: 'degraded' }], true],
    ['one that is down', [{ measured: 'down' }], false],
    ['one that is not open', [{ open: false, measured: 'unknown' }], false],
    ['one whose breaker is open', [{ breaker: 'open' }], false],
    ['one whose breaker waits for a proof', [{ breaker: 'half_open' }], false],
    ['a standby that is up', [{ measured: 'down' }, {}], true],
    ['a standby that is a sandbox', [{ measured: 'down' }, { sandbox: true }], false],
    ['none', [], undefined],
  ];
  for (const [name, order, usable] of rows)
    it(`${name}: ${usable === undefined ? 'not bound' : usable ? 'usable' : 'not usable'}`, () => {
      const binding = { orb: { orb_id: 'a.b@1.0.0' }, order: order.map(slot) } as unknown as Binding;
      const expected = usable === undefined ? [] : [{ orb_id: 'a.b@1.0.0', usable }];
      expect(orbViews([binding])).to.deep.equal(expected);
    });
});

describe('what a run shows of the providers', () => {
  const all = [slot(), slot()];
  const run = (code: string | undefined, more: object = {}): Settled =>
    ({
      ending: { status: code === undefined ? 'completed' : 'failed', code, outcome: 'not_sent' },
      attempts: [{ phase: 'connect' }],
      bound: all,
      order: all,
      caller_deadline: false,
      mode: 'live',
      ...more,
    }) as unknown as Settled;

  const rows: readonly (readonly [string, Settled, boolean | undefined])[] = [
    ['a completed one', run(undefined), true],
    ['a refusal of the request', run('provider_rejected'), true],
    ['nobody reached', run('provider_unavailable'), false],
    ['a fault of the account', run('provider_failed'), false],
    ['outputs that do not fit', run('invalid_outputs'), false],
    ['silence', run('outcome_unknown'), false],
    ['the deadline of the Orb', run('run_timed_out'), false],
    ['the deadline of the caller', run('run_timed_out', { caller_deadline: true }), undefined],
    ['a denial', run('access_denied'), undefined],
    ['an Orbiset that allows none', run('no_provider_allowed', { attempts: [] }), undefined],
    ['an Orbiset that allows one of two', run('provider_unavailable', { order: all.slice(1) }), undefined],
    [
      'a sandbox of a live Orb',
      run('provider_unavailable', { bound: [...all, slot({ sandbox: true })], order: [] }),
      undefined,
    ],
    ['a trial in the sandbox of a live Orb', run(undefined, { mode: 'sandbox' }), undefined],
    ['a run of an Orb on the sandbox', run(undefined, { mode: 'sandbox', bound: [slot({ sandbox: true })] }), true],
    ['a queue that was full', run('provider_unavailable', { attempts: [{ phase: 'queue' }] }), undefined],
    ['a swap under way', run('provider_unavailable', { attempts: [{ phase: 'drain' }] }), undefined],
    ['a disk that is full', run('storage_unavailable', { attempts: [{ phase: 'journal' }] }), undefined],
    ['a lease that was over', run('run_timed_out', { attempts: [{ phase: 'lease' }] }), undefined],
    [
      'a provider that asks for a pause',
      run('provider_unavailable', { ending: { status: 'failed', code: 'provider_unavailable', outcome: 'throttled' } }),
      undefined,
    ],
  ];
  for (const [name, settled, usable] of rows)
    it(`${name}: ${usable === undefined ? 'nothing' : usable ? 'of use' : 'of no use'}`, () => {
      expect(usableBy(settled)).to.equal(usable);
    });
});
