import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Provider, ProviderHandle } from '../../../../kernel/provider/adapter.ts';
import { createLog, silentLog } from '../../../../kernel/tools/log.ts';
import type { Clock } from '../../../../kernel/tools/clock.ts';
import { ProviderError } from '../../../../kernel/error.ts';
import { ProviderHealth } from '../../../../plugins/runtime/provider/health.ts';
import { Transport } from '../../../../plugins/runtime/provider/transport.ts';

const never = new Promise<never>(() => undefined);

/** A transport of an adapter that opens so. */
function transportOf(open: (signal: AbortSignal) => Promise<Partial<ProviderHandle>>, log = silentLog): Transport {
  const provider = {
    name: 'a',
    config: { key: 'key-1234' },
    adapter: { open: ({ signal }: { signal: AbortSignal }) => open(signal) },
  };
  const clock: Clock = { now: () => 0, monotonic: () => 0 };
  const health = new ProviderHealth(clock, () => undefined);
  return new Transport(provider as unknown as Provider, { stateDir: '', log, clock, health });
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

  it('logs no value of the configuration when a look-up or the close fails', async () => {
    const lines: string[] = [];
    const failing = async (): Promise<never> => Promise.reject(new Error('key-1234 is not accepted'));
    const handle = { execute: () => never, lookup: failing, close: failing };
    const transport = transportOf(
      async () => handle,
      createLog('debug', (line) => lines.push(line)),
    );
    await transport.open(1000);
    await transport.lookup('key', 1000);
    await transport.close();
    expect(lines).to.have.length(2);
    for (const line of lines) expect(line).to.include('… is not accepted').and.not.include('key-1234');
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

describe('the opening of a transport', () => {
  const failed = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: Error) => error.message,
    );
  const execute = () => never;

  it('is made once, however often it is asked for', async () => {
    let opened = 0;
    const transport = transportOf(async () => ((opened += 1), { execute }));
    await transport.open(1000);
    await transport.open(1000);
    expect([opened, transport.isOpen()]).to.deep.equal([1, true]);
    await transport.close();
    expect(transport.isOpen()).to.equal(false);
  });

  it('that takes too long fails, tells the adapter, and closes what is opened later', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<Partial<ProviderHandle>>();
    const told: boolean[] = [];
    let closed = 0;
    const transport = transportOf((signal) => {
      signal.addEventListener('abort', () => told.push(signal.aborted));
      return opened;
    });
    expect(await failed(transport.open(1))).to.equal('opening the provider took too long or was stopped');
    open({ execute, close: async () => void (closed += 1) });
    await nextTurn();
    expect([told, closed, transport.isOpen()]).to.deep.equal([[true], 1, false]);
  });

  for (const [what, handle] of [
    ['nothing', undefined],
    ['no execute()', { close: async () => undefined }],
    ['an execute that is no function', { execute: 'x' }],
  ] as const)
    it(`that answers ${what} fails`, async () => {
      const transport = transportOf(async () => handle as Partial<ProviderHandle>);
      expect(await failed(transport.open(1000))).to.equal('open answered no handle with execute()');
      expect(transport.isOpen()).to.equal(false);
    });

  it('is proven by its probe within its time, or at once without one', async () => {
    const probing = async (probe?: () => Promise<void>) => {
      const transport = transportOf(async () => (probe === undefined ? { execute } : { execute, probe }));
      await transport.open(1000);
      return failed(transport.probe(0.5));
    };
    expect(await probing()).to.equal('done');
    expect(await probing(async () => undefined)).to.equal('done');
    expect(await probing(() => Promise.reject(new Error('no')))).to.equal('no');
    expect(await probing(() => never)).to.equal('the health check took too long');
  });

  for (const [what, open, health] of [
    ['up when it opens and answers its probe', { execute, probe: async () => undefined }, 'up'],
    ['down when its probe fails', { execute, probe: () => Promise.reject(new Error('no')) }, 'down'],
    ['down when it cannot be opened', {}, 'down'],
  ] as const)
    it(`shows in the health: ${what}`, async () => {
      const transport = transportOf(async () => open);
      await transport.revive(1000);
      expect(transport.health.health).to.equal(health);
    });

  it('ends with the last generation that holds it, though its end fails', async () => {
    const transport = transportOf(async () => ({ execute, close: () => Promise.reject(new Error('no')) }));
    await transport.open(1000);
    transport.hold();
    transport.hold();
    await transport.release();
    expect([transport.isOpen(), transport.isHeld()]).to.deep.equal([true, true]);
    await transport.release();
    expect([transport.isOpen(), transport.isHeld()]).to.deep.equal([false, false]);
  });
});

describe('a call', () => {
  const dispatch = { inputs: {}, signal: new AbortController().signal, idempotency_key: 'k' };
  const outcomeOf = async (answer: () => unknown) => {
    const transport = transportOf(async () => ({ execute: async () => answer() as Record<string, unknown> }));
    await transport.open(1000);
    return transport.execute(dispatch);
  };
  const fails = (error: Error) => () => {
    throw error;
  };

  it('of a transport that is not open is not sent', async () => {
    const transport = transportOf(async () => ({}));
    expect(await transport.execute(dispatch)).to.include({ outcome: 'not_sent', phase: 'open' });
  });

  it('is accepted with a plain object, also one without a prototype', async () => {
    for (const outputs of [{ a: 1 }, Object.assign(Object.create(null) as object, { a: 1 })])
      expect(await outcomeOf(() => outputs)).to.deep.equal({ outcome: 'accepted', outputs });
  });

  for (const [what, answer] of [
    ['a list', () => []],
    ['nothing', () => undefined],
    ['null', () => null],
    ['a text', () => 'x'],
    ['a date', () => new Date(0)],
    ['an error without an outcome', fails(new Error('no'))],
  ] as const)
    it(`is unknown when the adapter answers ${what}`, async () => {
      expect(await outcomeOf(answer)).to.include({ outcome: 'unknown', phase: 'adapter' });
    });

  it('has the outcome that the adapter throws', async () => {
    expect(await outcomeOf(fails(new ProviderError('rejected', 'no')))).to.include({ outcome: 'rejected' });
  });
});

describe('a look-up', () => {
  const found = async (lookup?: () => Promise<Record<string, unknown> | undefined>) => {
    const execute = () => never;
    const transport = transportOf(async () => (lookup === undefined ? { execute } : { execute, lookup }));
    await transport.open(1000);
    return transport.lookup('key', 0.5);
  };

  it('answers what the vendor has, or that it has nothing', async () => {
    expect(await found(async () => ({ id: 1 }))).to.deep.equal({ id: 1 });
    expect(await found(async () => undefined)).to.equal('absent');
  });

  it('proves nothing where there is none, where it fails or takes too long', async () => {
    expect(await found()).to.equal(undefined);
    expect(await found(() => Promise.reject(new Error('no')))).to.equal(undefined);
    expect(await found(() => never)).to.equal(undefined);
    expect(await transportOf(async () => ({})).lookup('key', 1)).to.equal(undefined);
  });
});
