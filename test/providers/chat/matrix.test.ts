import { expect } from 'chai';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { failure, noSignal } from '../email/smtp-bed.ts';
import { lastBody, opened } from './doubles/bed.ts';
import { careful, matrixBed, matrixDouble, rooms } from './doubles/matrix.ts';
import { doubleSuite, repeats } from './doubles/suite.ts';
import { chatSuite, full, inputs, send } from './vendors/suite.ts';

describe('chat/matrix', () => {
  chatSuite(matrixBed);
  doubleSuite(matrixBed);
  describe('makes one message of two calls that read the state of the room', () =>
    // Over one connection, which is cut in one of its two requests.
    repeats({ ...matrixBed, config: (url) => ({ ...careful(url), max_connections: 1 }) }));

  let vendor: VendorServer;
  let reads: string[];
  let close: (() => unknown)[];
  beforeEach(async () => {
    const { contract } = matrixDouble();
    reads = [];
    close = [];
    vendor = await startVendor((request) => {
      if (request.method === 'GET') reads.push(request.path);
      return contract(request);
    });
  });
  afterEach(async () => {
    for (const one of close) await one();
    await vendor.close();
  });
  const open = async (more: object = {}) => {
    const handle = await opened(matrixBed.adapter, { ...careful(vendor.url), ...more });
    close.push(() => handle.close?.());
    return handle;
  };

  it('declares how long a homeserver knows its key', () => {
    expect(matrixBed.adapter.idempotency).to.deep.equal({ kind: 'native', window_s: 600, max_len: 255 });
  });

  it('sends text and HTML, and says whom it notifies', async () => {
    await send(await open(), { given: { ...full, mentions: ['ada'], thread: '$root' } });
    const body = lastBody(vendor);
    expect(body).to.deep.include({
      msgtype: 'm.text',
      format: 'org.matrix.custom.html',
      'm.mentions': { user_ids: ['@ada:example.org'] },
      'm.relates_to': {
        ...{ rel_type: 'm.thread', event_id: '$root', is_falling_back: true },
        'm.in_reply_to': { event_id: '$root' },
      },
    });
    expect(body['formatted_body']).to.include('<strong>Disk</strong>').and.include('&lt;db-1&gt;');
    expect(body['body']).to.include('Alert <db-1>').and.not.include('**');
  });

  it('notifies nobody whom the caller did not name, and everybody only as @room of its settings', async () => {
    const handle = await open({ people: { all: '@room' } });
    await send(handle, { given: { ...inputs, text: '@room @ada:example.org' } });
    expect(lastBody(vendor)['m.mentions']).to.deep.equal({});
    expect(lastBody(vendor)['body']).to.not.match(/@room|@ada/);
    await send(handle, { given: { ...inputs, mentions: ['all'] }, key: 'd' });
    expect(lastBody(vendor)).to.deep.include({ 'm.mentions': { room: true }, body: '@room Disk full' });
  });

  it('sends notices when its settings say so', async () => {
    await send(await open({ message_type: 'm.notice' }));
    expect(lastBody(vendor)['msgtype']).to.equal('m.notice');
  });

  it('reads once whether a room is encrypted, and again after a minute', async () => {
    const handle = await open();
    for (const key of ['a', 'b']) await send(handle, { key });
    expect(reads).to.deep.equal(['/_matrix/client/v3/rooms/!ops%3Aexample.org/state/m.room.encryption']);
    const { now } = performance;
    performance.now = () => now.call(performance) + 61_000;
    try {
      await send(handle, { key: 'c' });
    } finally {
      performance.now = now;
    }
    expect([reads.length, vendor.posts.length]).to.deep.equal([2, 3]);
  });

  it('sends nothing to an encrypted room, unless its settings allow it', async () => {
    const channels = { ops: rooms.encrypted };
    const error = await failure(send(await open({ channels })));
    expect([error.outcome, error.reason]).to.deep.equal(['rejected', 'content_refused']);
    expect(vendor.posts).to.have.length(0);
    await send(await open({ channels, allow_unencrypted: true }));
    expect(vendor.posts).to.have.length(1);
  });

  it('fails its probe when one of its rooms is encrypted, and names it to the operator alone', async () => {
    const channels = { ops: rooms.plain, war: rooms.encrypted };
    const error = await failure((await open({ channels })).probe?.(noSignal()));
    expect(error.outcome).to.equal('provider_fault');
    expect(error.message).to.not.include('war');
    expect(error.remedy).to.include('take war out of `channels`').and.include('`allow_unencrypted`');
    await (await open({ channels, allow_unencrypted: true })).probe?.(noSignal());
  });

  it('passes its probe when it is not in one of its rooms, and fails the calls for that room', async () => {
    const handle = await open({ channels: { ops: rooms.plain, gone: rooms.left } });
    await handle.probe?.(noSignal());
    const error = await failure(send(handle, { given: { ...inputs, channel: 'gone' } }));
    expect([error.outcome, error.reason]).to.deep.equal(['rejected', 'sender_refused']);
    expect(vendor.posts).to.have.length(0);
  });

  for (const [name, reply] of Object.entries({
    'a fault': { status: 500, body: { errcode: 'M_UNKNOWN' } },
    'half an answer': { status: 404, body: '{"errcode":"M_NOT' },
  }))
    it(`has sent nothing when the state of the room cannot be read: ${name}`, async () => {
      const handle = await open();
      vendor.fault = reply;
      expect((await failure(send(handle))).outcome).to.equal('not_sent');
      expect(vendor.posts).to.have.length(0);
    });

  it('takes rooms that callers name only in the form of their ids, and only if its settings allow it', async () => {
    const named = { ...inputs, channel: rooms.plain };
    expect((await failure(send(await open(), { given: named }))).reason).to.equal('recipient_unknown');
    const handle = await open({ open_channels: true });
    expect((await send(handle, { given: named }))['channel']).to.equal(rooms.plain);
    for (const channel of ['..', '#ops:example.org', 'ops2', '!a b'])
      expect((await failure(send(handle, { given: { ...inputs, channel } }))).reason, channel).to.equal(
        'recipient_unknown',
      );
    expect(vendor.posts).to.have.length(1);
  });

  it('refuses a thread of another vendor', async () => {
    const error = await failure(send(await open(), { given: { ...inputs, thread: '1503435956.000247' } }));
    expect([error.outcome, vendor.posts.length]).to.deep.equal(['rejected', 0]);
  });

  it('refuses what is too long for an event, or cuts it off', async () => {
    const handle = await open();
    const text = '"'.repeat(20_000);
    expect((await failure(send(handle, { given: { ...inputs, text } }))).reason).to.equal('content_too_long');
    const outputs = await send(handle, { given: { ...inputs, text, overflow: 'truncate' } });
    expect(outputs['truncated']).to.equal(true);
    expect(vendor.posts[0]?.body.length).to.be.within(50_000, 61_000);
  });
});
