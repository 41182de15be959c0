import { expect } from 'chai';
import { TenantShare } from '../../../../../plugins/runtime/run/limits/tenant-share.ts';

describe('turns at the writer', () => {
  const clock = { now: 0, monotonic: () => clock.now };
  let turns: TenantShare;
  let order: string[];
  beforeEach(() => {
    clock.now = 1000;
    turns = new TenantShare(clock);
    order = [];
  });

  const ask = (tenant: string, count: number): void => {
    for (let asked = 0; asked < count; asked += 1) {
      const turn = turns.enter(tenant);
      if (turn === undefined) order.push(tenant);
      else void turn.then(() => order.push(`${tenant} later`));
    }
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('one tenant alone is never held back', () => {
    ask('loud', 500);
    expect(order).to.have.length(500);
  });

  it('beside another one, a loud tenant has eight under way and waits behind itself; the quiet one goes at once', async () => {
    ask('quiet', 1);
    ask('loud', 50);
    expect(order.filter((name) => name === 'loud')).to.have.length(8);
    ask('quiet', 1);
    expect(order.at(-1)).to.equal('quiet');
    turns.leave('loud');
    turns.leave('loud');
    await settle();
    expect(order.slice(-2)).to.deep.equal(['loud later', 'loud later']);
    expect(order).to.have.length(12);
  });

  it('all that wait go when the other has been gone for a while: nobody is forgotten', async () => {
    ask('quiet', 1);
    ask('loud', 50);
    turns.leave('quiet');
    clock.now += 101;
    turns.leave('loud');
    await settle();
    expect(order.filter((name) => name.startsWith('loud'))).to.have.length(50);
  });

  it('every turn of a tenant ends in as many as were asked for, whoever else comes and goes', async () => {
    for (let round = 0; round < 200; round += 1) {
      ask('a', 20);
      ask('b', 3);
      clock.now += round % 7 === 0 ? 200 : 1;
      await settle();
      while (order.length > 0) turns.leave(order.pop()?.split(' ')[0] ?? '');
    }
    for (let left = 0; left < 4600; left += 1) {
      await settle();
      if (order.length === 0) break;
      turns.leave(order.pop()?.split(' ')[0] ?? '');
    }
    clock.now += 500;
    ask('a', 30);
    expect(order, 'a is alone, and nothing is still counted as under way').to.have.length(30);
  });

  it('a tenant at work is a reason to hold others back, however long ago it asked', () => {
    ask('slow', 1);
    clock.now += 10_000;
    ask('loud', 20);
    expect(order.filter((name) => name === 'loud')).to.have.length(8);
  });

  it('one that has gone for more than 100 ms is no reason: nobody is held back', () => {
    ask('gone', 1);
    turns.leave('gone');
    clock.now += 100;
    ask('loud', 20);
    expect(order.filter((name) => name === 'loud')).to.have.length(8);
    clock.now += 1;
    ask('loud', 20);
    expect(order.filter((name) => name === 'loud')).to.have.length(28);
  });

  it('a turn that ends makes room for one, not for eight', async () => {
    ask('quiet', 1);
    ask('loud', 50);
    turns.leave('loud');
    await settle();
    expect(order.filter((name) => name === 'loud later')).to.have.length(1);
  });
});
