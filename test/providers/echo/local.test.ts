import { expect } from 'chai';
import { silentLog } from '../../../kernel/tools/log.ts';
import local from '../../../providers/echo/local.ts';
import { conformance, testKey } from '../../helpers/conformance.ts';

describe('echo/local', () => {
  conformance({
    adapter: local,
    orbId: 'demo.echo@1.0.0',
    config: () => ({}),
    inputs: { text: 'hello' },
    faults: [{ name: 'no text', outcome: 'rejected', inputs: {}, arrange: () => undefined }],
  });

  it('answers with exactly the text it was given', async () => {
    const signal = new AbortController().signal;
    const handle = await local.open({ config: {} as never, signal, stateDir: '/nowhere', log: silentLog });
    const context = { signal, idempotency_key: testKey('e'), log: silentLog };
    expect(await handle.execute({ text: 'čau 👋' }, context)).to.deep.equal({ text: 'čau 👋' });
  });

  it('is a sandbox: nothing leaves the process', () => expect(local.sandbox).to.equal(true));
});
