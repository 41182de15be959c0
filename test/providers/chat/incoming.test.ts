import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import incoming from '../../../providers/chat/incoming.ts';
import { failure } from '../email/smtp-bed.ts';
import { createStage } from '../email/vendors/stage.ts';
import { chatSuite, inputs, send } from './vendors/suite.ts';
import { incomingBed } from './vendors/webhook.ts';

const shapes = ['slack', 'mattermost', 'rocketchat', 'json'] as const;

describe('chat/incoming', () => {
  for (const shape of shapes) describe(`in the shape ${shape}`, () => chatSuite(incomingBed(shape)));

  const stages = new Map(shapes.map((shape) => [shape, createStage(incomingBed(shape))]));
  const sent = async (shape: (typeof shapes)[number], given: object): Promise<unknown> => {
    const stage = stages.get(shape);
    const vendor = await stage?.vendor();
    const handle = await stage?.open(incomingBed(shape).config(vendor?.url ?? ''));
    if (handle !== undefined) await send(handle, { given: { ...inputs, ...given } });
    return JSON.parse(vendor?.posts[0]?.body.toString() ?? '');
  };

  it('writes the text as its receiver reads it', async () => {
    const given = { text: '**a** @all <!here> x_y_', format: 'markdown', mentions: ['ada'] };
    expect(await sent('slack', given)).to.include({ text: '<@U012AB3CD> *a* @all &lt;!here&gt; x_y_', mrkdwn: true });
    const escaped = '@ada **a** @\u2060all \\<!here\\> x\\_y\\_';
    expect(await sent('mattermost', given)).to.deep.equal({ text: escaped });
    expect(await sent('rocketchat', given)).to.deep.equal({ text: escaped });
    expect(await sent('json', given)).to.deep.equal({ text: '@ada a @\u2060all <!here> x_y_' });
    expect(await sent('slack', { text: '*a*' })).to.include({ text: '*a*', mrkdwn: false, unfurl_links: false });
  });

  for (const [shape, most] of [
    ['slack', 40_000],
    ['mattermost', 16_383],
    ['rocketchat', 5000],
    ['json', 1_000_000],
  ] as const)
    it(`sends ${most} characters in the shape ${shape}, and refuses more before anything is sent`, async () => {
      const text = 'x'.repeat(most);
      expect(await sent(shape, { text })).to.include({ text });
      const { outcome, reason } = await failure(sent(shape, { text: `${text}x` }));
      expect([outcome, reason]).to.deep.equal(['rejected', 'content_too_long']);
    });

  it('answers in a thread at Slack alone', async () => {
    expect(await sent('slack', { thread: '1.2' })).to.include({ thread_ts: '1.2' });
    expect((await failure(sent('mattermost', { thread: '1.2' }))).outcome).to.equal('rejected');
  });

  it('reaches private addresses only when the settings say so', async () => {
    const bed = incomingBed('json');
    const stage = stages.get('json');
    const vendor = await stage?.vendor();
    const handle = await stage?.open({ ...bed.config(vendor?.url ?? ''), private: false });
    const error = await failure(handle && send(handle));
    expect([error.outcome, error.remedy]).to.deep.equal(['provider_fault', 'set `private`']);
    expect(vendor?.accepted).to.equal(0);
  });

  it('posts to addresses of the web alone, without an end that no server gets', () => {
    const check = compile(incoming.config);
    const faults = (url: string): number => check({ shape: 'json', channels: { ops: url } }).length;
    for (const url of ['https://hooks.slack.com/services/T/B/X', 'https://a.example:8443/', 'http://[::1]:1/x?k=v'])
      expect(faults(url), url).to.equal(0);
    for (const url of [
      'http://hooks.example.com/x',
      'https://user:pw@a.example/x',
      'https://a.example',
      'https://a.example/x#y',
      'https://a.example/x y',
      'ftp://a.example/x',
    ])
      expect(faults(url), url).to.be.greaterThan(0);
    expect(check({ shape: 'json', channels: {} })).not.to.deep.equal([]);
  });
});
