import { expect } from 'chai';
import { failure } from '../email/smtp-bed.ts';
import { createStage } from '../email/vendors/stage.ts';
import { chatSuite, full, inputs, send } from './vendors/suite.ts';
import { teamsBed } from './vendors/webhook.ts';

describe('chat/teams', () => {
  chatSuite(teamsBed);
  const { vendor: start, open } = createStage(teamsBed);

  it('posts one card in the envelope that workflows read', async () => {
    const vendor = await start();
    await send(await open(teamsBed.config(vendor.url)), { given: full });
    expect(JSON.parse(vendor.posts[0]?.body.toString() ?? '')).to.deep.equal({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', text: '<at>ada</at>', wrap: true },
              {
                type: 'RichTextBlock',
                inlines: [{ type: 'TextRun', text: 'Alert <db-1> & "co"', weight: 'Bolder' }],
              },
              {
                type: 'RichTextBlock',
                inlines: [
                  { type: 'TextRun', text: 'Disk', weight: 'Bolder' },
                  { type: 'TextRun', text: ' full: 5 > 3, @everyone ' },
                  {
                    type: 'TextRun',
                    text: 'look',
                    selectAction: { type: 'Action.OpenUrl', url: 'https://example.com/a?b=1&c=2' },
                  },
                ],
                spacing: 'None',
              },
              {
                type: 'RichTextBlock',
                inlines: [
                  { type: 'TextRun', text: '• ' },
                  { type: 'TextRun', text: 'a', fontType: 'Monospace' },
                ],
                spacing: 'None',
              },
              {
                type: 'RichTextBlock',
                inlines: [
                  { type: 'TextRun', text: '• ' },
                  { type: 'TextRun', text: 'b 👩‍👩‍👧‍👦' },
                ],
                spacing: 'None',
              },
            ],
            msteams: {
              entities: [{ type: 'mention', text: '<at>ada</at>', mentioned: { id: 'ada@example.org', name: 'ada' } }],
            },
          },
        },
      ],
    });
  });

  it('keeps requests below the size at which Teams would lose them', async () => {
    const vendor = await start();
    const handle = await open(teamsBed.config(vendor.url));
    const text = Array.from({ length: 400 }, (_, line) => `line ${line}`).join('\n');
    expect((await failure(send(handle, { given: { ...inputs, text } }))).reason).to.equal('content_too_long');
    expect(vendor.posts).to.have.length(0);
    const outputs = await send(handle, { given: { ...inputs, text, overflow: 'truncate' } });
    expect(outputs).to.deep.equal({ ...teamsBed.outputs, truncated: true });
    expect(vendor.posts[0]?.body.length).to.be.within(19_800, 20_000);
  });

  it('takes an empty 200 for the start of the workflow, too', async () => {
    const vendor = await start();
    vendor.fault = { status: 200 };
    expect(await send(await open(teamsBed.config(vendor.url)))).to.deep.equal(teamsBed.outputs);
  });

  it('cannot answer in a thread', async () => {
    const vendor = await start();
    const handle = await open(teamsBed.config(vendor.url));
    expect((await failure(send(handle, { given: { ...inputs, thread: '1' } }))).outcome).to.equal('rejected');
  });
});
