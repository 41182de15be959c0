import { expect } from 'chai';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { failure } from '../email/smtp-bed.ts';
import { failed } from './answers/telegram.ts';
import { lastBody, opened } from './doubles/bed.ts';
import { doubleSuite } from './doubles/suite.ts';
import { botToken, telegramBed, telegramDouble } from './doubles/telegram.ts';
import { chatSuite, inputs, send } from './vendors/suite.ts';

describe('chat/telegram', () => {
  chatSuite(telegramBed);
  doubleSuite(telegramBed);

  let vendor: VendorServer;
  let close: (() => unknown)[];
  beforeEach(async () => {
    vendor = await startVendor(telegramDouble().contract);
    close = [];
  });
  afterEach(async () => {
    for (const one of close) await one();
    await vendor.close();
  });
  const open = async (more: object = {}) => {
    const handle = await opened(telegramBed.adapter, { ...telegramBed.config(vendor.url), ...more });
    close.push(() => handle.close?.());
    return handle;
  };

  it('says that Telegram knows no key', () => {
    expect(telegramBed.adapter.idempotency).to.deep.equal({ kind: 'none' });
  });

  it('marks styles beside the text, so that nothing in it is escaped', async () => {
    const text = 'a_b *c* 👩‍🚀 **bold** `x` [here](https://example.com)';
    await send(await open(), { given: { ...inputs, text, format: 'markdown' } });
    const body = lastBody(vendor) as { text: string; entities: { type: string; offset: number; length: number }[] };
    expect(body).to.not.have.property('parse_mode');
    expect(body.text).to.equal('a_b c 👩‍🚀 bold x here');
    const marked = body.entities.map(({ length, offset, type }) => [type, body.text.slice(offset, offset + length)]);
    expect(marked).to.deep.equal([
      ['italic', 'c'],
      ['bold', 'bold'],
      ['code', 'x'],
      ['text_link', 'here'],
    ]);
  });

  it('names people whom it notifies, and nobody else', async () => {
    const handle = await open({ people: { ada: '4711', bob: '@bob_builder' } });
    await send(handle, { given: { ...inputs, text: '@everyone look', mentions: ['ada', 'bob'] } });
    const { entities, text } = lastBody(vendor) as { text: string; entities: object[] };
    expect(text)
      .to.match(/^ada @bob_builder /)
      .and.not.include('@everyone');
    const user = { id: 4711, is_bot: false, first_name: 'ada' };
    expect(entities).to.deep.equal([{ type: 'text_mention', offset: 0, length: 3, user }]);
  });

  for (const [name, channel, sent, posted] of [
    ['a group', '-1001234', { chat_id: -1001234 }, '-1001234'],
    ['a public channel', '@ops_channel', { chat_id: '@ops_channel' }, '-1009876'],
    ['a topic', '-1001234/7', { chat_id: -1001234, message_thread_id: 7 }, '-1001234/7'],
  ] as const)
    it(`sends to ${name}`, async () => {
      const outputs = await send(await open({ channels: { ops: channel } }));
      expect(lastBody(vendor)).to.deep.include(sent);
      expect(outputs['channel']).to.equal(posted);
    });

  it('answers a message under the thread of its outputs', async () => {
    const handle = await open();
    const { thread } = await send(handle);
    const outputs = await send(handle, { given: { ...inputs, thread } });
    expect(lastBody(vendor)['reply_parameters']).to.deep.equal({ message_id: 1 });
    expect(outputs).to.include({ message_id: '2', thread });
    expect((await failure(send(handle, { given: { ...inputs, thread: '$event' } }))).outcome).to.equal('rejected');
  });

  it('shows previews of links only if the caller wants them', async () => {
    const handle = await open();
    for (const link_preview of [undefined, false, true]) {
      await send(handle, { given: { ...inputs, ...(link_preview === undefined ? {} : { link_preview }) } });
      expect(lastBody(vendor)['link_preview_options']).to.deep.equal({ is_disabled: link_preview !== true });
    }
  });

  it('counts the text as Telegram does, in UTF-16 code units without its markup', async () => {
    const handle = await open();
    const post = (text: string, more: object = {}) => send(handle, { given: { ...inputs, text, ...more } });
    await post('😀'.repeat(2048));
    await post(`**${'a'.repeat(4096)}**`, { format: 'markdown' });
    const error = await failure(post('😀'.repeat(2049)));
    expect([error.outcome, error.reason]).to.deep.equal(['rejected', 'content_too_long']);
    expect(vendor.posts).to.have.length(2);
    expect(await post('😀'.repeat(2049), { overflow: 'truncate' })).to.include({ truncated: true });
    expect(lastBody(vendor)['text']).to.equal(`${'😀'.repeat(2047)}…`);
  });

  it('names the new id of a group that became a supergroup', async () => {
    vendor.fault = failed(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -1009999999999,
    });
    const error = await failure(send(await open()));
    expect(error.reason).to.equal('recipient_gone');
    expect(error.message).to.include('migrate_to_chat_id.-1009999999999');
  });

  it('tells an operator to check the token when its path is not there', async () => {
    vendor.fault = failed(404, 'Not Found');
    const error = await failure(send(await open()));
    expect(error.remedy).to.include('`bot_token`').and.not.include(botToken);
  });
});
