import { expect } from 'chai';
import observabilityStore from '../../../plugins/observability/store.ts';
import { openInMemory } from '../../helpers/stores/memory.ts';

describe('the store of what was measured', () => {
  const open = () => openInMemory(observabilityStore);
  const major = 'major_outage';
  const partial = 'partial_outage';
  const up = 'operational';
  const allOperational = { runtime: up, reputation_ledger: up, observable_engine: up, ingestion: up } as const;
  const all = [0, 1_000_000] as const;

  it('keeps the first sign of life and the last one: none that comes late takes it back', () => {
    const { operations, reads } = open();
    expect(reads.heartbeat()).to.equal(undefined);
    operations.beat({ at: 10, clean: true });
    operations.beat({ at: 20, clean: false });
    expect(reads.heartbeat()).to.deep.equal({ first_at: 10, last_at: 20, clean: false });
    operations.beat({ at: 15, clean: true });
    expect(reads.heartbeat()).to.deep.equal({ first_at: 10, last_at: 20, clean: true });
  });

  for (const clean of [true, false])
    it(`keeps that the last of several nodes ${clean ? 'left cleanly' : 'did not leave'}`, async () => {
      const { operations, reads } = open();
      const beat = { node: 'a', incarnation: '1', services: allOperational, slept: false };
      await operations.beatBeside({ ...beat, at: 10, clean: !clean });
      await operations.beatBeside({ ...beat, at: 20, clean });
      expect(reads.heartbeat()).to.deep.equal({ first_at: 10, last_at: 20, clean });
    });

  it('ends the open span of the service that turns, and no other', () => {
    const { operations, reads } = open();
    operations.keep({ service: 'ingestion', from: 0, to: 5, status: major });
    operations.turn({ service: 'ingestion', at: 10, status: partial });
    operations.turn({ service: 'runtime', at: 10, status: major });
    operations.turn({ service: 'ingestion', at: 20, status: 'operational' });
    expect(reads.spansIn(...all)).to.deep.equal([
      { service: 'ingestion', from: 0, to: 5, status: major },
      { service: 'ingestion', from: 10, to: 20, status: partial },
      { service: 'runtime', from: 10, status: major },
    ]);
  });

  it('ends no span before its beginning, and begins the same one again', () => {
    const { operations, reads } = open();
    operations.turn({ service: 'runtime', at: 10, status: major });
    operations.turn({ service: 'runtime', at: 5, status: 'operational' });
    expect(reads.spansIn(...all)).to.deep.equal([{ service: 'runtime', from: 10, to: 10, status: major }]);
    operations.turn({ service: 'runtime', at: 10, status: major });
    expect(reads.spansIn(...all)).to.deep.equal([{ service: 'runtime', from: 10, status: major }]);
  });

  it('lists the spans that overlap a time: one that ends or begins at its ends does not', () => {
    const { operations, reads } = open();
    for (const [from, to] of [
      [0, 10],
      [5, 11],
      [19, 30],
      [20, 30],
      [0, 40],
    ] as const)
      operations.keep({ service: 'runtime', from, to, status: to === 40 ? major : partial });
    operations.turn({ service: 'ingestion', at: 0, status: major });
    expect(reads.spansIn(10, 20).map(({ service, from, to }) => [service, from, to])).to.deep.equal([
      ['ingestion', 0, undefined],
      ['runtime', 0, 40],
      ['runtime', 5, 11],
      ['runtime', 19, 30],
    ]);
  });

  it('forgets the spans that ended before a time, not one that ended at it or goes on', () => {
    const { operations, reads } = open();
    for (const to of [9, 10, 11]) operations.keep({ service: 'runtime', from: to - 5, to, status: major });
    operations.turn({ service: 'ingestion', at: 1, status: major });
    expect(operations.prune({ before: 10, most: 9 })).to.equal(1);
    expect(reads.spansIn(...all).map(({ to }) => to)).to.deep.equal([undefined, 10, 11]);
  });

  it('forgets as many at a time as it is told', () => {
    const { operations, reads } = open();
    for (const to of [7, 8, 9]) operations.keep({ service: 'runtime', from: to - 5, to, status: major });
    expect(operations.prune({ before: 10, most: 2 })).to.equal(2);
    expect(reads.spansIn(...all)).to.have.length(1);
    expect(operations.prune({ before: 10, most: 2 })).to.equal(1);
  });
});
