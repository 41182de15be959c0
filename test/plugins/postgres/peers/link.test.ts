import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { expect } from 'chai';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { linkPeers, type PeerLink } from '../../../../plugins/postgres/peers/link.ts';
import type { FromMembership, ToMembership } from '../../../../plugins/postgres/peers/message.ts';
import { until } from '../../../helpers/until.ts';

describe('the link of a node with its membership', () => {
  let link: PeerLink;
  let port: MessagePort;
  let said: ToMembership[];

  beforeEach(() => {
    link = linkPeers({
      ...{ shared: true, node: { name: 'a', incarnation: '1' }, version: '0.1.0', at: 0, log: silentLog },
      quiet: () => Promise.resolve(),
    });
    port = link.port ?? expect.fail('no port');
    said = [];
    port.on('message', (message: ToMembership) => said.push(message));
  });
  afterEach(async () => {
    const closed = once(port, 'close');
    link.close();
    await closed;
  });

  const hear = (message: FromMembership): void => port.postMessage(message);
  const change = (upTo: number, ref: string): void =>
    hear({ kind: 'changes', upTo, changes: [{ topic: 'notes', ref }] });
  const learned = (upTo: number) =>
    until(
      () => said.some((one) => one.kind === 'learned' && one.upTo === upTo),
      (is) => is,
      `change ${upTo} learned`,
    );
  const soon = (found: () => unknown, what: string) => until(found, (is) => is === true, what);

  describe('follows a topic', () => {
    it('until the reload has succeeded, before later changes', async () => {
      const refs: string[] = [];
      let fails = 1;
      link.peers.follow('notes', (some) => {
        if (fails-- > 0) throw new Error('the store is away');
        refs.push(...some);
      });
      change(1, 'one');
      change(2, 'two');
      await learned(2);
      expect(refs).to.deep.equal(['one', 'two']);
    });

    it('and counts a change as learned that takes long, where it may be late', async () => {
      const reload = Promise.withResolvers<void>();
      const late: string[] = [];
      link.peers.follow(
        'notes',
        () => reload.promise,
        (refs) => late.push(...refs),
      );
      change(1, 'one');
      await learned(1);
      expect(late).to.deep.equal(['one']);
      reload.resolve();
    });

    it('and tries a late reload again that has failed: nothing announces the change again', async () => {
      const first = Promise.withResolvers<void>();
      let reloads = 0;
      link.peers.follow(
        'notes',
        () => (reloads++ === 0 ? first.promise : undefined),
        () => undefined,
      );
      change(1, 'one');
      await learned(1);
      first.reject(new Error('the store is away'));
      await soon(() => reloads === 2, 'the second reload');
    });
  });

  describe('lets work begin when the node holds a role', () => {
    const take = (): void => hear({ kind: 'role', role: 'sweeping' });
    const mute = (is: boolean): void => hear({ kind: 'mute', mute: is, round: 1 });

    it('in order, and again when it fails', async () => {
      const begun: string[] = [];
      let fails = 1;
      const first = link.peers.whenHeld('sweeping', () => {
        if (fails-- > 0) throw new Error('the store is away');
        begun.push('first');
      });
      link.peers.whenHeld('sweeping', () => void begun.push('second'));
      await soon(() => said.filter(({ kind }) => kind === 'want').length === 1, 'the wish');
      expect([first.now, first.begun, begun]).to.deep.equal([false, undefined, []]);
      take();
      await soon(() => begun.length === 2, 'both works');
      expect([first.now, begun]).to.deep.equal([true, ['first', 'second']]);
      const third = link.peers.whenHeld('sweeping', () => void begun.push('third'));
      await third.begun;
      expect(begun.at(-1)).to.equal('third');
    });

    it('and end while the clock is wrong, if it can end', async () => {
      const seen: string[] = [];
      const held = link.peers.whenHeld('sweeping', () => (seen.push('begin'), () => seen.push('end')));
      link.peers.whenHeld('sweeping', () => void seen.push('once'));
      take();
      await soon(() => seen.length === 2, 'the works');
      mute(true);
      await soon(() => seen.includes('end'), 'its end');
      expect(held.now).to.equal(false);
      mute(false);
      await soon(() => seen.length === 4, 'its second begin');
      await held.stop();
      mute(true);
      mute(false);
      await delay(20);
      expect(seen).to.deep.equal(['begin', 'once', 'end', 'begin', 'end']);
    });

    it('and end, also while another work of the role cannot begin', async () => {
      let ended = 0;
      let tries = 0;
      const first = link.peers.whenHeld('sweeping', () => () => ended++);
      const second = link.peers.whenHeld('sweeping', () => {
        tries++;
        throw new Error('the store is away');
      });
      take();
      await soon(() => tries > 0, 'a try');
      await first.stop();
      expect(ended).to.equal(1);
      await second.stop();
    });

    it('never when it was ended before', async () => {
      let begun = 0;
      await link.peers.whenHeld('sweeping', () => void begun++).stop();
      const next = link.peers.whenHeld('sweeping');
      take();
      await soon(() => next.now, 'the role');
      await delay(20);
      expect(begun).to.equal(0);
    });
  });
});
