import { expect } from 'chai';
import fc from 'fast-check';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { fitted } from '../../../../providers/push/message/fit.ts';
import type { PushMessage } from '../../../../providers/push/message/message.ts';

const refusal = (): ProviderError => new ProviderError('rejected', 'too long');
const messageOf = (body: string, overflow: PushMessage['overflow']): PushMessage => ({
  ...{ to: { kind: 'topic', name: 'a' }, title: 't', body, urgency: 'normal', ttl_s: 0, overflow },
});
const encode = (body: string): Buffer => Buffer.from(JSON.stringify({ body }));

describe('a message within a limit of bytes', () => {
  it('is whole, or the longest start of its characters that fits, at any text and limit', () => {
    const characters = (body: string): readonly string[] =>
      [...new Intl.Segmenter().segment(body)].map(({ segment }) => segment);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), fc.nat(200), (body, room) => {
        const most = encode('…').length + room;
        const { bytes, truncated } = fitted(messageOf(body, 'truncate'), encode, { most, refusal });
        expect(bytes.length).to.be.at.most(most);
        if (!truncated) return void expect(bytes).to.deep.equal(encode(body));
        const all = characters(body);
        const starts = all.map((_, count) => `${all.slice(0, count).join('').trimEnd()}…`);
        const fitting = starts.filter((start) => encode(start).length <= most);
        expect(bytes.toString()).to.equal(encode(fitting.at(-1) ?? '').toString());
      }),
    );
  });

  it('is refused if it is longer and nobody allowed to cut it, or not even its mark fits', () => {
    expect(() => fitted(messageOf('abc', 'reject'), encode, { most: 5, refusal })).to.throw(ProviderError);
    expect(() => fitted(messageOf('abc', 'truncate'), encode, { most: 5, refusal })).to.throw(ProviderError);
  });
});
