import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ProviderHandle } from '../../../kernel/adapter.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import outbox from '../../../providers/sms/outbox.ts';
import { conformance, testKey } from '../../helpers/conformance.ts';

const inputs = { to: '+4915123456789', text: 'It’s late: 😀', from: 'alerts', purpose: 'otp', valid_for_s: 600 };
const signal = new AbortController().signal;

describe('sms/outbox', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'orb-outbox-'));
  });
  afterEach(() => rm(stateDir, { recursive: true }));

  const open = (): Promise<ProviderHandle> =>
    outbox.open({ config: { directory: 'outbox' } as never, signal, stateDir, log: silentLog });
  const key = testKey('m');
  const file = (): string => join(stateDir, 'outbox', `${key}.sms.json`);
  const send = async (given: Record<string, unknown>) =>
    (await open()).execute(given, { signal, idempotency_key: key, log: silentLog });

  describe('as any adapter', () => {
    conformance({
      adapter: outbox,
      orbId: 'notify.sms@1.0.0',
      config: () => ({}),
      inputs,
      receiver: (dir) => ({
        effects: async () => (await readdir(join(dir, 'outbox')).catch(() => [])).length,
      }),
      faults: [
        { name: 'no number', outcome: 'rejected', inputs: { ...inputs, to: 'ada' }, arrange: () => undefined },
        {
          name: 'too long a text',
          outcome: 'rejected',
          inputs: { ...inputs, text: 'a'.repeat(1600) },
          arrange: () => undefined,
        },
      ],
    });
  });

  it('is a sandbox, and writes what a vendor would get', async () => {
    expect(outbox.sandbox).to.equal(true);
    const outputs = await send(inputs);
    expect(outputs).to.deep.equal({ message_id: key, status: 'accepted', segments: 1, encoding: 'ucs2' });
    const written = JSON.parse(await readFile(file(), 'utf8')) as unknown;
    expect(written).to.deep.equal({ message_id: key, ...inputs, segments: 1, encoding: 'ucs2' });
  });

  it('writes once per key: a second call answers the same', async () => {
    const first = await send(inputs);
    expect(await send({ to: '+436641234567', text: 'Other' })).to.deep.equal(first);
    expect(await readdir(join(stateDir, 'outbox'))).to.deep.equal([`${key}.sms.json`]);
  });

  it('says unknown, not absent, when the file under the key is no message', async () => {
    await send(inputs);
    for (const torn of ['{"message_id": "', '{}', '[]']) {
      await writeFile(file(), torn);
      const found = await (await open()).lookup?.(key, signal).catch((error: unknown) => error);
      expect(found, torn).to.include({ outcome: 'unknown' });
    }
  });
});
