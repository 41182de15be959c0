import { expect } from 'chai';
import { HeldAnswers, type HeldKind } from '../../../../kernel/http/connection/held-answers.ts';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';

const wait: HeldKind = { name: 'wait', most: 4, brief: true };
const stream: HeldKind = { name: 'stream', most: 3 };

describe('the answers that are held open', () => {
  let held: HeldAnswers;
  let ended: string[];
  beforeEach(() => {
    held = new HeldAnswers(6, createMetrics());
    ended = [];
  });
  /** Takes places; returns how many were given. */
  const take = (id: string, tenant: string, count: number, kind = stream): number =>
    Array.from({ length: count }, (_, at) =>
      held.take({ id, tenant }, kind, () => ended.push(`${id} ${kind.name} ${at}`)),
    ).filter((release) => release !== undefined).length;

  it('are bounded per caller and kind', () => {
    expect(take('a', 't', 5)).to.equal(3);
    expect(take('a', 't', 2, wait)).to.equal(2);
    expect(take('b', 't', 1)).to.equal(1);
  });

  it('give their place back once', () => {
    const release = held.take({ id: 'a', tenant: 't' }, stream, () => undefined);
    expect(take('a', 't', 3)).to.equal(2);
    release?.();
    release?.();
    expect(take('a', 't', 3)).to.equal(1);
  });

  it('of the tenant with the most give way to those of another tenant, the newest of its largest caller first', () => {
    take('a', 'big', 3);
    take('b', 'big', 2);
    take('c', 'big', 1);
    expect(take('x', 'small', 3)).to.equal(3);
    expect(ended).to.deep.equal(['a stream 2', 'a stream 1', 'b stream 1']);
    // Both tenants have half now, so the callers of one share its half.
    expect(take('y', 'small', 2)).to.equal(1);
    expect(ended.at(-1)).to.equal('x stream 2');
  });

  it('of the caller with the most of a tenant give way to those of another caller of it', () => {
    take('a', 't', 3);
    take('a', 't', 3, wait);
    expect(take('b', 't', 4)).to.equal(3);
    expect(ended, 'waits first').to.deep.equal(['a wait 2', 'a wait 1', 'a wait 0']);
    expect(take('c', 't', 2)).to.equal(2);
    expect(take('d', 't', 1)).to.equal(1);
  });

  it('are refused to the caller that holds the most', () => {
    take('a', 't', 3);
    take('a', 't', 3, wait);
    expect(take('a', 't', 1, wait)).to.equal(0);
    expect(ended).to.deep.equal([]);
  });
});
