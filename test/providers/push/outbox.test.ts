import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import outbox from '../../../providers/push/outbox.ts';
import { conformance, testKey } from '../../helpers/conformance.ts';
import { failure, full, noSignal, opened, send, text } from './vendors/bed.ts';
import { subscriptionAt } from './vendors/service.ts';

describe('push/outbox', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'orb-push-'));
  });
  afterEach(() => rm(stateDir, { recursive: true }));
  const file = (): string => join(stateDir, 'outbox', `${testKey('p')}.push.json`);
  const to = { subscription: subscriptionAt('https://fcm.googleapis.com') };

  describe('as any adapter', () =>
    conformance({
      adapter: outbox,
      orbId: 'notify.push@1.0.0',
      config: () => ({}),
      inputs: { ...full, to },
      receiver: (dir) => ({ effects: async () => (await readdir(join(dir, 'outbox')).catch(() => [])).length }),
      faults: [{ name: 'no recipient', outcome: 'rejected', inputs: { ...text, to: {} }, arrange: () => undefined }],
    }));

  for (const recipient of [to, { token: 'f00d' }, { topic: 'alerts' }, { user: 'ada' }])
    it(`writes a message for a ${Object.keys(recipient).join()} once per key`, async () => {
      const handle = await opened(outbox, {}, stateDir);
      const outputs = await send(handle, { ...full, to: recipient });
      expect(outputs).to.deep.equal({ message_id: testKey('p'), status: 'accepted' });
      const written = await readFile(file(), 'utf8');
      expect(JSON.parse(written)).to.deep.equal({ message_id: testKey('p'), ...full, to: recipient });
      expect(await send(handle, { ...text, to: recipient })).to.deep.equal(outputs);
      expect(await readFile(file(), 'utf8')).to.equal(written);
      expect(await handle.lookup?.(testKey('p'), noSignal())).to.deep.equal(outputs);
      expect(await handle.lookup?.(testKey('q'), noSignal())).to.equal(undefined);
    });

  for (const torn of ['', '{"message_id": "x', '{}'])
    it(`says unknown, not absent, when the file under the key holds ${JSON.stringify(torn)}`, async () => {
      const handle = await opened(outbox, {}, stateDir);
      await writeFile(file(), torn);
      expect((await failure(handle.lookup?.(testKey('p'), noSignal()))).outcome).to.equal('unknown');
      expect((await failure(send(handle, { ...text, to }))).outcome).to.equal('unknown');
    });

  it('proves that it can write', async () => {
    const handle = await opened(outbox, {}, stateDir);
    await handle.probe?.(noSignal());
    await rm(join(stateDir, 'outbox'), { recursive: true });
    expect((await failure(handle.probe?.(noSignal()))).outcome).to.equal('not_sent');
  });
});
