import { expect } from 'chai';
import { causes } from '../../../plugins/alerts/causes.ts';
import { detailText, filled, longestWords, titleText, wordsOf } from '../../../plugins/alerts/words.ts';
import type { DueSubject } from '../../../plugins/alerts/store.ts';

const subject = (title: string, more: Partial<DueSubject> = {}): DueSubject => ({
  cause: 'provider_down',
  subject: title,
  pending: 1,
  since: 0,
  told_at: 0,
  title,
  detail: `${title} is down`,
  path: `/providers?provider=${title}`,
  providers: [title],
  ...more,
});
const urlOf = (path: string): string => `https://orb.example/console${path}`;

describe('the words of an alert', () => {
  it('name one subject and its page', () => {
    expect(wordsOf('provider_down', [subject('a')], urlOf)).to.deep.equal({
      ...{ subject: 'Provider down: a', summary: 'a is down', count: '1' },
      url: 'https://orb.example/console/providers?provider=a',
    });
  });

  it('count what happened several times', () => {
    const often = subject('a', { pending: 3, since: Date.UTC(2026, 0, 1) });
    expect(wordsOf('provider_down', [often], urlOf)).to.include({
      ...{ summary: 'a is down (3 times since 2026-01-01T00:00:00.000Z)', count: '3' },
    });
  });

  it('list ten of many subjects', () => {
    const many = Array.from({ length: 13 }, (_, at) => subject(`p${at}`, { pending: 2 }));
    const { subject: title, summary, count, url } = wordsOf('provider_down', many, urlOf);
    expect([title, count, url]).to.deep.equal(['Provider down: p0 and 12 others', '26', 'https://orb.example/console']);
    expect(summary.split('\n')).to.have.length(11);
    expect(summary).to.match(/\nand 3 more$/);
  });

  it('are never longer than those with which the settings are checked', () => {
    const long = '\u{1f600}x'.repeat(1000);
    const told = { title: titleText(long), detail: detailText(long), path: '', providers: [] };
    const many = Array.from({ length: 100 }, (_, at) => subject(String(at), { ...told, pending: 1_000_000 / 100 }));
    for (const cause of causes) {
      const words = wordsOf(cause, many, urlOf);
      for (const name of ['subject', 'summary', 'count', 'url'] as const)
        expect(words[name].length, `${cause} ${name}`).to.be.at.most(longestWords[name].length);
      expect(words.summary.isWellFormed() && words.subject.isWellFormed()).to.equal(true);
    }
  });

  it('of others are one line without characters that deceive', () => {
    expect(titleText(' a\r\nBcc: b\u0000\u202e\u2028c\t\u0007 ')).to.equal('a Bcc: b c');
    expect(detailText('x'.repeat(301))).to.have.length(300);
    expect(titleText(`${'x'.repeat(78)}\u{1f600}y`)).to.equal(`${'x'.repeat(78)}…`);
  });

  const words = { subject: 's {url}', summary: 'm $& $1', count: '2', url: 'u' };
  const places: readonly (readonly [string, unknown, unknown])[] = [
    ['every word', '{subject}|{summary}|{count}|{url}', 's {url}|m $& $1|2|u'],
    ['nested texts', { a: [{ b: '{count}' }, '{count}{count}'] }, { a: [{ b: '2' }, '22'] }],
    ['no names of members, numbers or nothing', { '{url}': 1, b: null, c: true }, { '{url}': 1, b: null, c: true }],
    ['no other words in braces', '{other} {Subject} {} ${url}', '{other} {Subject} {} $u'],
    ['a member that is named __proto__', JSON.parse('{"__proto__": "{url}"}'), JSON.parse('{"__proto__": "u"}')],
  ];
  for (const [name, inputs, expected] of places)
    it(`replace ${name}`, () => expect(JSON.stringify(filled(inputs, words))).to.equal(JSON.stringify(expected)));
});
