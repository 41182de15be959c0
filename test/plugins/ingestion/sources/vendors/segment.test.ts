import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { segment } from '../../../../../plugins/ingestion/sources/vendors/segment.ts';
import { arrivalOf, draftsOf, itReads, itRefuses, keyOf } from './drafts.ts';

const macOf = (text: string): string => createHmac('sha1', 's3cret').update(text).digest('hex');
const settings = { scheme: 'signature' } as const;
const secrets = [{ version: 4, text: 's3cret' }];

/** Says whether a body is proven by the signature of a text. */
function proves(body: string, signed: string): boolean {
  const arrival = arrivalOf(body, { 'x-signature': macOf(signed) });
  const proof = segment.signature?.verify(arrival, secrets, settings, 0);
  if (proof === undefined) return false;
  expect(proof).to.deep.equal({ strength: 'shared_secret', scheme: 'segment.sha1', secret_version: 4 });
  return true;
}

describe('Segment', () => {
  itReads('segment', [
    {
      name: 'counts an event',
      payload: { messageId: 'm', type: 'track', event: 'Order', timestamp: '2026-11-20T10:00:00Z' },
      expected: {
        ...{ type: 'orb.signal.analytics', state: 'info', vendor_event_id: 'm', vendor_type: 'track', title: 'Order' },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 10), episode_key: 'event:track:Order', strength: undefined },
      },
    },
    {
      name: 'counts a page by its name, at the time of its sender',
      payload: { type: 'page', name: 'Home', originalTimestamp: '2026-11-20T10:00:00Z' },
      expected: { title: 'Home', occurred_at: Date.UTC(2026, 10, 20, 10) },
    },
    { name: 'counts a kind by itself', payload: { type: 'identify' }, expected: { title: 'identify' } },
    { name: 'counts what says nothing', payload: {}, expected: { vendor_type: 'event', title: 'event' } },
  ]);

  itRefuses('segment', ['x', null, 4]);

  it('takes the first event of a batch alone for proven', () => {
    const drafts = draftsOf('segment', [{ type: 'a' }, { type: 'b' }, { type: 'c' }]);
    expect(drafts.map(({ vendor_type, strength }) => [vendor_type, strength])).to.deep.equal([
      ['a', undefined],
      ['b', 'url_token'],
      ['c', 'url_token'],
    ]);
  });

  it('knows an event by its id, and a batch by its bytes', () => {
    expect(keyOf('segment', { messageId: 'm' })).to.equal('m');
    expect(keyOf('segment', [{ messageId: 'm' }])).to.equal(undefined);
    expect(keyOf('segment', Object.assign(['x'], { messageId: 'm' }))).to.equal(undefined);
  });

  const rows: readonly (readonly [string, string, string, boolean])[] = [
    ['an event as it was sent', '{"a": 1}', '{"a": 1}', true],
    ['an event serialised again', '{"a": 1}', '{"a":1}', true],
    ['an event between spaces', ' \n{"a": 1} ', '{"a": 1}', true],
    ['the first event of a batch', '[{"a": 1}, {"b": 2}]', '{"a": 1}', true],
    ['the first event of a batch serialised again', '\t[ {"a": 1}, {"b": 2}]', '{"a":1}', true],
    ['the one event of a batch', '[{"a":1}]', '{"a":1}', true],
    ['a text with brackets, quotes and commas', '[{"a":"]},\\"["},2]', '{"a":"]},\\"["}', true],
    ['a text that ends in a backslash', '[{"a":"\\\\"},2]', '{"a":"\\\\"}', true],
    ['the first event of a batch after a space', ' [{"a":1},2]', '{"a":1}', true],
    ['lists in lists', '[{"a":[1,[2,3]],"b":{"c":{}}},2]', '{"a":[1,[2,3]],"b":{"c":{}}}', true],
    ['a scalar', '[7,8]', '7', true],
    ['the second event of a batch', '[{"a":1},{"b":2}]', '{"b":2}', false],
    ['a whole batch', '[{"a":1},{"b":2}]', '[{"a":1},{"b":2}]', false],
    ['a batch that does not end, as a whole', '[{"a":1', '[{"a":1', true],
    ['an event that is not JSON, as it was sent', '{"a":', '{"a":', true],
  ];
  for (const [name, body, signed, expected] of rows)
    it(`${expected ? 'proves' : 'does not prove'} a body by ${name}`, () => {
      expect(proves(body, signed)).to.equal(expected);
    });

  it('looks 64 levels deep for the first event', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(proves(`[${nested(64)},1]`, nested(64))).to.equal(true);
    expect(proves(`[${nested(65)},1]`, nested(65))).to.equal(false);
    expect(proves(`[${nested(65)},1]`, `[${nested(65)},1]`)).to.equal(true);
  });

  it('serialises an event again that has up to 10 000 members', () => {
    const event = (members: number): string => `{"a": [${'0,'.repeat(members - 1)}0]}`;
    const again = (members: number): string => JSON.stringify(JSON.parse(event(members)));
    expect(proves(event(10_000), again(10_000))).to.equal(true);
    expect(proves(event(10_001), again(10_001))).to.equal(false);
  });

  it('takes a body above 512 KiB as a whole', () => {
    const batch = (bytes: number): string => `["${'x'.repeat(bytes - 6)}",1]`.slice(0, bytes);
    const first = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 6));
    expect(batch(512 * 1024)).to.have.length(512 * 1024);
    expect(proves(batch(512 * 1024), first(512 * 1024))).to.equal(true);
    expect(proves(batch(512 * 1024 + 1), first(512 * 1024 + 1))).to.equal(false);
    expect(proves(batch(512 * 1024 + 1), batch(512 * 1024 + 1))).to.equal(true);
  });

  for (const presented of [undefined, '', 'xyz', macOf('other')])
    it(`refuses the signature ${String(presented)}`, () => {
      const headers: Record<string, string> = presented === undefined ? {} : { 'x-signature': presented };
      expect(segment.signature?.verify(arrivalOf('{}', headers), secrets, settings, 0)).to.equal(undefined);
    });

  it('signs what it verifies', () => {
    for (const body of ['{"a": 1}', '[{"a": 1},{"b":2}]']) {
      const headers = segment.signature?.sign(Buffer.from(body), 's3cret', settings, 0);
      expect(headers).to.deep.equal({ 'x-signature': macOf('{"a": 1}') });
    }
  });
});
