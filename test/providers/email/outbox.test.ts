import { mkdtemp, open as openFile, readdir, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import { ProviderError, type ProviderHandle } from '../../../kernel/adapter.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import outbox from '../../../providers/email/outbox.ts';
import { conformance, testKey } from '../../helpers/conformance.ts';
import { parseMail } from './mail.ts';

const inputs = { to: 'ada@example.org', from_address: 'Orb <orb@example.com>', subject: 'Hi', body: 'Hello\nAda' };
const signal = new AbortController().signal;

describe('email/outbox', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'orb-outbox-'));
  });
  afterEach(() => rm(stateDir, { recursive: true }));

  const open = (directory = 'outbox'): Promise<ProviderHandle> =>
    outbox.open({ config: { directory } as never, signal, stateDir, log: silentLog });
  const send = async (given: Record<string, unknown>, key = testKey('m')) => {
    const handle = await open();
    return handle.execute(given, { signal, idempotency_key: key, log: silentLog });
  };
  const written = (key = testKey('m')): Promise<Buffer> => readFile(join(stateDir, 'outbox', `${key}.eml`));

  describe('as any adapter', () => {
    conformance({
      adapter: outbox,
      orbId: 'notify.email@1.0.0',
      config: () => ({}),
      inputs,
      receiver: (dir) => ({
        effects: async () => (await readdir(join(dir, 'outbox')).catch(() => [])).length,
      }),
      faults: [
        { name: 'no address', outcome: 'rejected', inputs: { ...inputs, to: 'nobody' }, arrange: () => undefined },
      ],
    });
  });

  it('writes a message with CRLF line ends that parses as RFC 5322', async () => {
    const outputs = await send({ ...inputs, cc: 'Bob <bob@example.org>', reply_to: 'desk@example.com' });
    const raw = await written();
    expect(raw.toString('latin1').replaceAll('\r\n', '')).not.to.match(/[\r\n]/);
    const { headers, text } = parseMail(raw);
    expect(headers).to.include({
      from: 'Orb <orb@example.com>',
      to: 'ada@example.org',
      cc: 'Bob <bob@example.org>',
      'reply-to': 'desk@example.com',
      subject: 'Hi',
      'message-id': `<${testKey('m')}@example.com>`,
      'mime-version': '1.0',
    });
    expect(Date.parse(headers['date'] ?? '')).to.be.closeTo(Date.now(), 60_000);
    expect(text.trimEnd()).to.equal('Hello\r\nAda');
    expect(outputs).to.deep.equal({ message_id: `<${testKey('m')}@example.com>` });
  });

  it('gives html as the alternative and attachments byte for byte', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 46, 10]);
    const attachments = [
      { filename: 'data ü.bin', content_base64: bytes.toString('base64') },
      { filename: 'mail.eml', content_base64: bytes.toString('base64') },
      { filename: 'a.csv', content_type: 'text/csv', content_base64: Buffer.from('a,b\n').toString('base64') },
    ];
    await send({ ...inputs, html: '<p>Hello Ada</p>', attachments });
    const mixed = parseMail(await written());
    expect(mixed.headers['content-type']).to.match(/^multipart\/mixed/);
    const [alternative, first, second, third] = mixed.parts;
    expect(alternative?.headers['content-type']).to.match(/^multipart\/alternative/);
    const types = alternative?.parts.map((part) => part.headers['content-type']?.split(';')[0]);
    expect(types).to.deep.equal(['text/plain', 'text/html']);
    expect(first?.content).to.deep.equal(bytes);
    expect(second?.content).to.deep.equal(bytes);
    expect(second?.headers['content-type']).to.match(/^application\/octet-stream/);
    expect(third?.headers['content-type']).to.match(/^text\/csv/);
    expect(third?.headers['content-disposition']).to.match(/^attachment; filename=a\.csv/);
  });

  it('does not disclose Bcc', async () => {
    await send({ ...inputs, bcc: 'hidden@example.net' });
    expect((await written()).toString('latin1')).not.to.match(/bcc|hidden@example\.net/i);
  });

  it('writes once per key: a second call answers the same and writes nothing', async () => {
    const first = await send(inputs);
    const before = await written();
    const second = await send({ ...inputs, from_address: 'other@example.net' });
    expect(second).to.deep.equal(first);
    expect(await written()).to.deep.equal(before);
    expect(await readdir(join(stateDir, 'outbox'))).to.deep.equal([`${testKey('m')}.eml`]);
  });

  it('keeps messages from other users of the machine', async () => {
    await send(inputs);
    expect((await stat(join(stateDir, 'outbox', `${testKey('m')}.eml`))).mode & 0o777).to.equal(0o600);
    expect((await stat(join(stateDir, 'outbox'))).mode & 0o777).to.equal(0o700);
  });

  describe('on a disk that may lose what it was not made to keep', () => {
    const synced: string[] = [];
    let failing: string | undefined;
    beforeEach(async () => {
      const probe = await openFile(stateDir, 'r');
      const prototype = Object.getPrototypeOf(probe) as FileHandle;
      await probe.close();
      synced.length = 0;
      failing = undefined;
      mock.method(prototype, 'sync', async function (this: FileHandle) {
        const what = (await this.stat()).isDirectory() ? 'folder' : 'message';
        synced.push(what);
        if (what === failing) throw new Error('the disk is full');
      });
    });
    afterEach(() => mock.restoreAll());

    it('flushes the message, then its folder, before it answers', async () => {
      await send(inputs);
      expect(synced).to.deep.equal(['message', 'folder']);
    });

    it('says unknown when the folder cannot be flushed, not_sent when the message cannot', async () => {
      failing = 'folder';
      expect(await outcome(send(inputs))).to.equal('unknown');
      failing = 'message';
      expect(await outcome(send(inputs, testKey('n')))).to.equal('not_sent');
      expect(await readdir(join(stateDir, 'outbox'))).to.deep.equal([`${testKey('m')}.eml`]);
    });
  });

  it('proves nothing once the deadline has passed', async () => {
    const handle = await open();
    expect(await outcome(handle.probe?.(AbortSignal.abort()))).to.equal('not_sent');
  });

  it('never takes a key for a path', async () => {
    await writeFile(join(stateDir, 'secret.eml'), 'Message-ID: <x@y>\r\n\r\n');
    const handle = await open();
    expect(await handle.lookup?.('../secret', signal)).to.equal(undefined);
    const call = handle.execute(inputs, { signal, idempotency_key: '../secret', log: silentLog });
    expect(await outcome(call)).to.equal('not_sent');
  });

  it('says unknown, not absent, when the file under the key is no message', async () => {
    await send(inputs);
    await writeFile(join(stateDir, 'outbox', `${testKey('m')}.eml`), 'torn');
    const handle = await open();
    expect(await outcome(handle.lookup?.(testKey('m'), signal))).to.equal('unknown');
    expect(await outcome(send(inputs))).to.equal('unknown');
  });

  it('says not_sent when the folder is gone, in probe and execute, and leaves no temporary file', async () => {
    const handle = await open();
    await rm(join(stateDir, 'outbox'), { recursive: true });
    expect(await outcome(handle.probe?.(signal))).to.equal('not_sent');
    const call = handle.execute(inputs, { signal, idempotency_key: testKey('m'), log: silentLog });
    expect(await outcome(call)).to.equal('not_sent');
    expect(await readdir(stateDir)).to.deep.equal([]);
  });

  it('cannot be opened where no folder can be made', async () => {
    await writeFile(join(stateDir, 'file'), '');
    expect(await outcome(open('file/outbox'))).to.equal('not_sent');
  });
});

async function outcome(call: Promise<unknown> | undefined): Promise<string> {
  try {
    return JSON.stringify(await call) ?? 'nothing';
  } catch (error) {
    return error instanceof ProviderError ? error.outcome : String(error);
  }
}
