import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { AccessRequest } from '../../kernel/access.ts';
import { createHooks, kernelHooks, type Hooks } from '../../kernel/hooks.ts';
import { defineEvent } from '../../kernel/plugin-hook.ts';
import { createOrbHook } from '../../kernel/provider/orb-hook.ts';
import type { Receipt } from '../../plugins/runtime/facts/facts.ts';

interface Failure {
  readonly hook: string;
  readonly tap: string;
  readonly message: string;
}

const settledEvent = defineEvent<{ readonly run_id: string }>('runSettled', { formerly: 'kernel' });
const owner = { name: 'runtime', hooks: [settledEvent] };

function hooks(): { hooks: Hooks; failures: Failure[]; former: string[] } {
  const failures: Failure[] = [];
  const failed = (hook: string, tap: string, error: unknown): number =>
    failures.push({ hook, tap, message: (error as Error).message });
  const outdated = (hook: string, tap: string): number => former.push(`${hook} ${tap}`);
  const former: string[] = [];
  return { hooks: createHooks({ failed, outdated }, [owner]), failures, former };
}

const settled = {
  run_id: 'run_1',
  receipt_id: 'rec_1',
  orb_id: 'a.b@1.0.0',
  orbiset_id: 'default',
  tenant: 'default',
  status: 'completed',
  mode: 'live',
  execution_ms: 1,
} as const;
const rejection = async (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail('it resolved'),
    (error: unknown) => error as Error,
  );

describe('hooks', () => {
  it('an asking hook answers undefined when nobody listens', async () => {
    expect(await hooks().hooks.authenticate({ token: 'x' })).to.equal(undefined);
  });

  it('the first answer that is not undefined wins', async () => {
    const { hooks: kernel } = hooks();
    const { authenticate } = kernel.taps({ deciding: false });
    const principal = (id: string) => ({ id, key_id: 'key_1', tenant: 'default', scopes: [], mode: 'live' as const });
    authenticate.tap('silent', () => undefined);
    authenticate.tap('first', () => principal('prn_1'));
    authenticate.tap('second', () => principal('prn_2'));
    expect((await kernel.authenticate({ token: 'x' }))?.id).to.equal('prn_1');
  });

  it('tells how long each tap took', async () => {
    const told: [hook: string, tap: string, milliseconds: number][] = [];
    const timed = (...one: (typeof told)[number]): number => told.push(one);
    const kernel = createHooks({ failed: () => undefined, timed });
    const { authenticate } = kernel.taps({ deciding: false });
    authenticate.tap('slow', () => delay(20, undefined));
    const begun = performance.now();
    await kernel.authenticate({ token: 'x' });
    const [[hook, tap, milliseconds] = ['', '', 0], ...others] = told;
    expect([hook, tap, others]).to.deep.equal(['authenticate', 'slow', []]);
    expect(milliseconds).to.be.within(1, performance.now() - begun);
  });

  it('an asking hook answers at once when every tap does, and by a promise when one has to wait', async () => {
    const { hooks: kernel } = hooks();
    const { authorize } = kernel.taps({ deciding: true });
    const decision = { allow: true, policies: [], warns: 0, shadow_denies: 0 };
    authorize.tap('policy', ({ action }) => (action.name === 'swap' ? Promise.resolve(decision) : decision));
    const question = (name: 'execute' | 'swap') => ({ action: { name } }) as AccessRequest;
    expect(kernel.authorize(question('execute'))).to.equal(decision);
    const later = kernel.authorize(question('swap'));
    expect(later).to.be.instanceOf(Promise);
    expect(await later).to.equal(decision);
  });

  it('null is refused as an answer, with the name of its tap', async () => {
    const { hooks: kernel } = hooks();
    kernel.taps({ deciding: false }).attest.tap('broken', () => null as unknown as Receipt);
    const error = await rejection(kernel.attest({} as never));
    expect(error.message).to.include('broken').and.include('null');
  });

  it('a defect of an asking tap is attributed to it', async () => {
    const { hooks: kernel } = hooks();
    kernel.taps({ deciding: false }).ready.tap('broken', () => {
      throw new Error('no disk');
    });
    expect((await rejection(kernel.ready())).message).to.equal('broken (ready): no disk');
  });

  it('a failing listener of a telling hook keeps no other from hearing, and is reported', async () => {
    const { hooks: kernel, failures } = hooks();
    const heard: string[] = [];
    const runSettled = kernel.taps({ deciding: false }).of(settledEvent);
    runSettled.tap('broken', () => {
      throw new Error('boom');
    });
    const done = new Promise<void>((resolve) => {
      runSettled.tap('good', ({ run_id }) => {
        heard.push(run_id);
        resolve();
      });
    });
    kernel.callsOf(owner).tell(settledEvent, settled);
    await done;
    expect(heard).to.deep.equal(['run_1']);
    expect(failures).to.deep.equal([{ hook: 'runSettled', tap: 'broken', message: 'boom' }]);
  });

  it('a plugin of the last version taps an event that was a hook of the kernel, and is named', async () => {
    const { hooks: kernel, former } = hooks();
    const { runSettled } = kernel.taps({ deciding: false }) as unknown as Record<
      string,
      { tap: (name: string, listener: (event: object) => void) => void }
    >;
    const heard = new Promise<object>((resolve) => runSettled?.tap('old', resolve));
    kernel.callsOf(owner).tell(settledEvent, settled);
    expect(await heard).to.equal(settled);
    expect(former).to.deep.equal(['runSettled old']);
  });

  it('an observer that fails to hear of a failure ends nothing', async () => {
    const kernel = createHooks(
      {
        failed: () => {
          throw new Error('no log');
        },
      },
      [owner],
    );
    kernel
      .taps({ deciding: false })
      .of(settledEvent)
      .tap('broken', () => {
        throw new Error('boom');
      });
    const unhandled: unknown[] = [];
    const hear = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', hear);
    kernel.callsOf(owner).tell(settledEvent, settled);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', hear);
    expect(unhandled).to.deep.equal([]);
  });

  it('only the deciding plugin may tap authorize', () => {
    const { hooks: kernel } = hooks();
    const decision = { allow: true, policies: [], warns: 0, shadow_denies: 0 };
    expect(() => kernel.taps({ deciding: false }).authorize.tap('sneaky', () => decision)).to.throw(
      /sneaky may not tap authorize/,
    );
    kernel.taps({ deciding: true }).authorize.tap('policy', () => decision);
    expect(kernel.silent()).to.deep.equal(['authenticate', 'attest']);
  });

  it('refuses taps after the boot', () => {
    const { hooks: kernel } = hooks();
    kernel.seal();
    expect(() => kernel.taps({ deciding: true }).ready.tap('late', () => undefined)).to.throw(/after the start/);
  });

  it('hands plugins tap and nothing else', () => {
    const taps = hooks().hooks.taps({ deciding: true });
    for (const tappable of kernelHooks.map((name) => taps[name])) {
      expect(Object.keys(tappable)).to.deep.equal(['tap']);
      expect(Object.isFrozen(tappable)).to.equal(true);
    }
  });

  it('each generation of an Orb has a hook of its own', async () => {
    const one = createOrbHook('one', async () => ({ outcome: 'accepted', outputs: { n: 1 } }));
    const two = createOrbHook('two', async () => ({ outcome: 'accepted', outputs: { n: 2 } }));
    const dispatch = { inputs: {}, signal: new AbortController().signal, idempotency_key: 'k' };
    expect(await one.call(dispatch)).to.deep.equal({ outcome: 'accepted', outputs: { n: 1 } });
    expect(await two.call(dispatch)).to.deep.equal({ outcome: 'accepted', outputs: { n: 2 } });
  });
});
