import { expect } from 'chai';
import type { Operation } from '../../../kernel/index.ts';
import { tidy } from '../../../plugins/budgets/retention.ts';

const now = Date.parse('2026-11-28T12:00:00Z');

describe('budgets are tidied', () => {
  it('in parts, until nothing is left: reservations and windows of a day ago, and usage of its days', async () => {
    const asked: string[] = [];
    const store = {
      write: (operations: readonly Operation[]) => {
        const [{ args, name } = { args: {}, name: '' }] = operations;
        const { before, most } = args as { before: number | string; most: number };
        asked.push(`${name} ${before}`);
        // The first part is full.
        return Promise.resolve([asked.length === 1 ? most : 0]);
      },
    };
    await tidy({ store: store as never, clock: { now: () => now }, days: 100 });
    const yesterday = now - 86_400_000;
    expect(asked).to.deep.equal([
      ...[`lapse ${yesterday}`, `lapse ${yesterday}`, `eraseWindows ${yesterday + 1}`, 'eraseUsage 2026-08-20'],
    ]);
  });
});
