import { expect } from 'chai';
import type { Row } from '../../../../kernel/store/contract.ts';
import { changesAfter, feedHead, showApplied } from '../../../../plugins/postgres/cluster/members.ts';
import { Membership } from '../../../../plugins/postgres/cluster/membership.ts';
import type { Session } from '../../../../plugins/postgres/connection/session.ts';
import { leaseTimes } from '../../../../plugins/postgres/cluster/watched.ts';
import type { FromMembership } from '../../../../plugins/postgres/peers/message.ts';

const asker = { node: 'b', incarnation: 'b-1', place: 'b' };
const change: Row = { seq: 1, topic: 'keys', ref: 'key_1', incarnation: 'a-1' };

describe('a process that begins to serve', () => {
  it('has begun when it has learned what others changed before its row said so', async () => {
    const feed: Row[] = [];
    const answers = new Map<string, (value: unknown) => readonly Row[]>([
      [feedHead.text, () => [{ seq: feed.length }]],
      [changesAfter(0).text, (after) => feed.slice(Number(after))],
      // Another node commits a change after the feed was read: it waits for nobody here.
      [showApplied(asker, 0).text, () => (feed.splice(0, 1, change), [])],
    ]);
    const flush: Session['flush'] = (statements) =>
      Promise.resolve(
        statements.map(({ text, values }) => ({ rows: answers.get(text)?.(values[0]) ?? [], changed: 1, tag: '' })),
      );
    const heard: FromMembership['kind'][] = [];
    const member = new Membership({
      ...{ asker, times: leaseTimes, version: '0.1.0', joinedAt: 0, wake: () => undefined },
      isMute: () => false,
      say: ({ kind }) => void heard.push(kind),
    });
    const tick = () => member.tick({ flush } as Session, false);
    member.hear({ kind: 'begin' });
    member.hear({ kind: 'ask', id: 1, what: 'begun' });
    await tick();
    await tick();
    expect(heard, 'the change is to be learned').to.deep.equal(['changes']);
    member.hear({ kind: 'learned', upTo: 1 });
    await tick();
    expect(heard).to.deep.equal(['changes', 'answer']);
  });
});
