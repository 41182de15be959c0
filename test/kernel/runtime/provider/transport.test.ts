import { mock } from 'node:test';
import { expect } from 'chai';
import type { Provider, ProviderHandle } from '../../../../kernel/runtime/provider/adapter.ts';
import { silentLog, type Log } from '../../../../kernel/tools/log.ts';
import { Transport, type TransportOptions } from '../../../../kernel/runtime/provider/transport.ts';

const log: Log = silentLog;
const never = new Promise<never>(() => undefined);

/** A transport of an adapter that opens so. */
function transportOf(open: (signal: AbortSignal) => Promise<Partial<ProviderHandle>>): Transport {
  const provider = { name: 'a', config: {}, adapter: { open: ({ signal }: { signal: AbortSignal }) => open(signal) } };
  return new Transport(provider as unknown as Provider, { stateDir: '', log } as TransportOptions);
}

describe('a transport', () => {
  afterEach(() => mock.timers.reset());

  it('is closed after 5 s although the adapter does not end', async () => {
    const transport = transportOf(async () => ({ execute: () => never, close: () => never }));
    await transport.open(1000);
    mock.timers.enable({ apis: ['setTimeout'] });
    const closed = transport.close().then(() => 'closed');
    mock.timers.tick(5000);
    expect(await Promise.race([closed, new Promise((resolve) => setImmediate(resolve, 'still waiting'))])).to.equal(
      'closed',
    );
  });

  it('that is closed while it opens tells the adapter so, and keeps nothing of what it opens later', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<Partial<ProviderHandle>>();
    let told: AbortSignal | undefined;
    let closed = 0;
    const transport = transportOf((signal) => {
      told = signal;
      return opened;
    });
    const opening = transport.open(1000).catch((error: Error) => error.message);
    await transport.close();
    open({ execute: () => never, close: async () => void (closed += 1) });
    await opening;
    await new Promise((resolve) => setImmediate(resolve));
    expect([told?.aborted, transport.isOpen(), closed]).to.deep.equal([true, false, 1]);
  });

  it('makes what a call is handed when the adapter asks for it, also by a copy', async () => {
    const asked: string[] = [];
    const { signal } = new AbortController();
    const dispatch = {
      inputs: { text: 'x' },
      get signal() {
        asked.push('signal');
        return signal;
      },
      get idempotency_key() {
        asked.push('idempotency_key');
        return 'key';
      },
    };
    const seen: object[] = [];
    const transport = transportOf(async () => ({
      execute: async (inputs, context) => {
        if (seen.push(inputs) === 2) seen.push({ ...context });
        return {};
      },
    }));
    await transport.open(1000);
    expect(await transport.execute(dispatch)).to.deep.equal({ outcome: 'accepted', outputs: {} });
    expect(asked).to.deep.equal([]);
    await transport.execute(dispatch);
    expect(asked.sort()).to.deep.equal(['idempotency_key', 'signal']);
    expect(seen[2]).to.include({ signal, idempotency_key: 'key' }).and.to.have.property('log');
  });

  it('makes no accessors for a call: until a full collection they would keep all that the call refers to', async () => {
    const gets: unknown[] = [];
    const transport = transportOf(async () => ({
      execute: async (_inputs, context) => {
        for (const { get } of Object.values(Object.getOwnPropertyDescriptors(context))) gets.push(get);
        return {};
      },
    }));
    await transport.open(1000);
    for (const key of ['a', 'b'])
      await transport.execute({ inputs: {}, signal: AbortSignal.abort(), idempotency_key: key });
    expect(gets).to.have.length(6);
    expect(gets.slice(0, 3)).to.deep.equal(gets.slice(3));
    expect(gets.filter((get) => typeof get === 'function')).to.have.length(4);
  });
});
