import { expect } from 'chai';
import type { ProviderError } from '../../../../kernel/adapter.ts';
import { failureOf } from '../../../../plugins/runtime/outcome/failure.ts';

describe('what an adapter says of a call that was not accepted', () => {
  const read = (said: object) => failureOf({ outcome: 'unknown', message: 'no', ...said } as ProviderError);

  it('is nothing when it names no outcome there is', () => {
    expect(['accepted', 'failed', '', 7].map((outcome) => read({ outcome }))).to.deep.equal(Array(4).fill(undefined));
    for (const outcome of ['rejected', 'provider_fault', 'not_sent', 'throttled', 'unknown'])
      expect(read({ outcome })).to.deep.equal({ outcome, message: 'no' });
  });

  const table: readonly (readonly [name: string, said: object, read: object])[] = [
    ['a wait', { retry_after: 1.5 }, { retry_after: 1.5 }],
    ['no wait at all', { retry_after: 0 }, { retry_after: 0 }],
    ['a wait of a day', { retry_after: 86_400 }, { retry_after: 86_400 }],
    ['a longer wait as a day', { retry_after: 86_401 }, { retry_after: 86_400 }],
    ['no wait into the past', { retry_after: -1 }, {}],
    ['no wait that is no number', { retry_after: '1' }, {}],
    ['no wait that is not a number', { retry_after: NaN }, {}],
    ['a phase', { phase: 'a.B_9-c' }, { phase: 'a.B_9-c' }],
    ['the longest phase', { phase: 'p'.repeat(64) }, { phase: 'p'.repeat(64) }],
    ['a longer phase as the adapter', { phase: 'p'.repeat(65) }, { phase: 'adapter' }],
    ['a phase that is no word as the adapter', { phase: 'a b' }, { phase: 'adapter' }],
    ['a reason', { reason: 'recipient_gone' }, { reason: 'recipient_gone' }],
    ['no reason that the list does not have', { reason: 'gone' }, {}],
    ['no reason that is no text', { reason: 7 }, {}],
    ['a message cut to 1,000 characters', { message: 'm'.repeat(1001) }, { message: 'm'.repeat(1000) }],
    ['a message without half characters', { message: 'a\ud800' }, { message: 'a\ufffd' }],
    ['a message that is no text as text', { message: 7 }, { message: '7' }],
  ];
  for (const [name, said, expected] of table)
    it(`is read with ${name}`, () =>
      expect(read(said)).to.deep.equal({ outcome: 'unknown', message: 'no', ...expected }));
});
