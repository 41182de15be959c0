import { expect } from 'chai';
import { postmarkBed } from './vendors/postmark.ts';
import { createStage, recordingLog, send } from './vendors/stage.ts';
import { vendorSuite } from './vendors/suite.ts';

describe('email/postmark', () => {
  vendorSuite(postmarkBed);
  const { vendor: start, open } = createStage(postmarkBed);

  it('sends on the stream it is told to', async () => {
    const vendor = await start();
    await send(await open(postmarkBed.config(vendor.url)));
    await send(await open({ ...postmarkBed.config(vendor.url), message_stream: 'receipts' }));
    const streams = vendor.posts.map(
      ({ body }) => (JSON.parse(body.toString()) as { MessageStream: string }).MessageStream,
    );
    expect(streams).to.deep.equal(['outbound', 'receipts']);
  });

  it('logs, without naming them, that some recipients are left out', async () => {
    const vendor = await start();
    const Message = 'Message OK, but will not deliver to these inactive addresses: ada@example.org';
    vendor.fault = { status: 200, body: { ...(postmarkBed.success.body as object), Message } };
    const { log, lines } = recordingLog();
    expect(await send(await open(postmarkBed.config(vendor.url)), { log })).to.deep.equal({
      message_id: postmarkBed.id,
    });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('inactive').and.not.include('ada@');
  });
});
