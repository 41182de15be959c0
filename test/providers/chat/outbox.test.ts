import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ProviderHandle } from '../../../kernel/adapter.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import outbox from '../../../providers/chat/outbox.ts';
import { conformance, testKey } from '../../helpers/conformance.ts';
import { failure, noSignal } from '../email/smtp-bed.ts';
import { full, inputs, send } from './vendors/suite.ts';

describe('chat/outbox', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'orb-outbox-'));
  });
  afterEach(() => rm(stateDir, { recursive: true }));

  const open = (): Promise<ProviderHandle> =>
    outbox.open({ config: { directory: 'outbox' } as never, signal: noSignal(), stateDir, log: silentLog });
  const path = (): string => join(stateDir, 'outbox', `${testKey('c')}.chat.json`);

  describe('as any adapter', () => {
    conformance({
      adapter: outbox,
      orbId: 'notify.chat@1.0.0',
      config: () => ({}),
      inputs: full,
      receiver: (dir) => ({ effects: async () => (await readdir(join(dir, 'outbox')).catch(() => [])).length }),
      faults: [{ name: 'CR LF', outcome: 'rejected', inputs: { ...inputs, text: 'a\r\nb' }, arrange: () => undefined }],
    });
  });

  it('writes what was given, for any channel and any person, and how it reads', async () => {
    const key = testKey('c');
    const outputs = { message_id: key, channel: 'ops', thread: key, delivery: 'posted' };
    expect(await send(await open(), { given: full })).to.deep.equal(outputs);
    expect(JSON.parse(await readFile(path(), 'utf8'))).to.deep.equal({
      message_id: key,
      ...full,
      shown:
        'Alert <db-1> & "co"\nada Disk full: 5 > 3, @\u2060everyone look (https://example.com/a?b=1&c=2)\n• a\n• b 👩‍👩‍👧‍👦',
    });
  });

  it('answers in the thread of an earlier message', async () => {
    const handle = await open();
    const { thread } = await send(handle);
    const answer = await send(handle, { given: { ...inputs, thread }, key: 'd' });
    expect(answer).to.include({ message_id: testKey('d'), thread: testKey('c') });
  });

  it('writes once per key', async () => {
    const handle = await open();
    const first = await send(handle);
    expect(await send(handle, { given: { channel: 'other', text: 'x' } })).to.deep.equal(first);
    expect(await handle.lookup?.(testKey('c'), noSignal())).to.deep.equal(first);
    expect(await readdir(join(stateDir, 'outbox'))).to.have.length(1);
  });

  it('says unknown, not absent, when the file under the key is no message', async () => {
    const handle = await open();
    for (const torn of ['{"message_id"', '{}']) {
      await writeFile(path(), torn);
      expect((await failure(send(handle))).outcome).to.equal('unknown');
      expect((await failure(handle.lookup?.(testKey('c'), noSignal()))).outcome).to.equal('unknown');
    }
  });
});
