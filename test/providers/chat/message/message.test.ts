import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { chat } from '../../../../providers/chat/contract.ts';
import { parsedInputs, prepared, type Targets } from '../../../../providers/chat/message/message.ts';

const targets: Targets = { channels: { ops: 'C1' }, people: { ada: 'U1', 'on call': 'S1' } };
const inputs = { channel: 'ops', text: 'Disk full' };

const refusal = (given: object, where: Targets = targets): ProviderError => {
  try {
    prepared({ ...inputs, ...given }, where);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  return expect.fail('it was taken');
};

describe('a chat message', () => {
  it('has the defaults of the Orb', () =>
    expect(prepared(inputs, targets)).to.deep.equal({
      channel: 'C1',
      alias: 'ops',
      blocks: [{ kind: 'paragraph', content: [{ kind: 'text', text: 'Disk full' }] }],
      format: 'plain',
      mentions: [],
      link_preview: false,
      overflow: 'reject',
    }));

  it('begins with its title, then names whom it notifies', () => {
    const mentions = ['on call', 'ada', 'ada'];
    const message = prepared({ ...inputs, title: 'db-1', mentions }, targets);
    expect(message.mentions).to.deep.equal(['S1', 'U1']);
    const space = { kind: 'text', text: ' ' };
    expect(message.blocks).to.deep.equal([
      { kind: 'title', text: 'db-1' },
      {
        kind: 'paragraph',
        content: [
          { kind: 'mention', id: 'S1', alias: 'on call' },
          space,
          { kind: 'mention', id: 'U1', alias: 'ada' },
          space,
          { kind: 'text', text: 'Disk full' },
        ],
      },
    ]);
    const quoted = prepared({ ...inputs, text: '> a', format: 'markdown', mentions: ['ada'] }, targets);
    expect(quoted.blocks.map(({ kind }) => kind)).to.deep.equal(['paragraph', 'quote']);
  });

  it('keeps a plain text, and one of markup alone, as it was written', () => {
    for (const [format, text] of [
      ['plain', '**a** <!channel>\n\n\n- b\t\u200b\u202e👩‍👩‍👧‍👦 שלום'],
      ['markdown', '```\n```'],
      ['markdown', ' \n '],
    ] as const)
      expect(prepared({ ...inputs, text, format }, targets).blocks).to.deep.equal([
        { kind: 'paragraph', content: [{ kind: 'text', text }] },
      ]);
  });

  it('goes to a name of the settings, to an id only where that is allowed', () => {
    expect(refusal({ channel: 'C1' })).to.include({ outcome: 'rejected', reason: 'recipient_unknown' });
    const open = { ...targets, open_channels: true };
    expect(prepared({ ...inputs, channel: 'C9' }, open)).to.include({ channel: 'C9', alias: 'C9' });
    expect(prepared(inputs, open)).to.include({ channel: 'C1', alias: 'ops' });
    for (const channel of ['toString', '__proto__', 'OPS', 'ops '])
      expect(refusal({ channel }).reason, channel).to.equal('recipient_unknown');
  });

  it('notifies people of the settings alone; without the setting everybody, by name', () => {
    for (const mentions of [['bob'], ['U1'], ['constructor']])
      expect(refusal({ mentions }).reason).to.equal('recipient_unknown');
    expect(prepared({ ...inputs, mentions: ['bob'] }, { channels: { ops: 'C1' } }).mentions).to.deep.equal(['bob']);
  });

  const wrong: Readonly<Record<string, object>> = {
    'CR LF': { text: 'a\r\nb' },
    NUL: { text: '\u0000' },
    'a C1 control': { text: 'a\u0085b' },
    'half a character': { text: '\udc00' },
    'no text': { text: '' },
    'text of another type': { text: 5 },
    'a title of two lines': { title: 'a\u2028b' },
    'an empty title': { title: '' },
    'an unknown format': { format: 'html' },
    'an unknown overflow': { overflow: 'split' },
    'mentions as a text': { mentions: 'ada' },
    'mentions that are no names': { mentions: [{}] },
    'an unknown member': { colour: 'blue' },
    'a thread with a control character': { thread: 'a\nb' },
  };
  for (const [name, given] of Object.entries(wrong))
    it(`is refused with ${name}, without its words`, () => {
      const error = refusal(given);
      expect([error.outcome, error.reason]).to.deep.equal(['rejected', undefined]);
      expect(error.message)
        .to.match(/^[ -~]+$/)
        .and.not.include('blue');
    });

  const links: readonly (readonly [text: string, ...hosts: string[]])[] = [
    ['https://a.example, and', 'a.example', 'a.example,'],
    ['See https://a.example.', 'a.example'],
    ['**https://a.example**and', 'a.example', 'a.example**and', 'a.exampleand'],
    ['https://a\\.example', 'a', 'a.example'],
    ['https://b@a.example!', 'a.example', 'a.example!'],
    ['HTTPS://Ａ.example', 'a.example'],
    ['http://[::1]:80/', '[::1]'],
    ['https://a.example:x', 'a.example'],
    ['> - [it](https://a.example./)', 'a.example'],
    ['https:// a.example'],
  ];
  for (const [text, ...hosts] of links)
    it(`shows policies the host of a link as its readers may see it: ${text}`, () =>
      expect(parsedInputs({ text }).text?.hosts).to.deep.equal(hosts));

  it('shows policies its length and the hosts of its links', () => {
    expect(parsedInputs({ text: 'x', title: 'https://a.example' }).text?.hosts).to.deep.equal(['a.example']);
    const text = 'See https://Example.com/a, [it](https://docs.example.org) and http://example.com:8080 👍';
    expect(chat.parse?.({ ...inputs, text })).to.deep.equal({
      text: { characters: [...text].length, hosts: ['docs.example.org', 'example.com'] },
    });
    expect(parsedInputs({ channel: 'ops' })).to.deep.equal({});
    expect(() => parsedInputs({ text: 'a\rb' })).to.throw(ProviderError);
  });
});
