import { expect } from 'chai';
import fc from 'fast-check';
import type { Lease } from '../../../plugins/runtime/provider/generation.ts';
import { createWorld, names, orbId, type World } from './swap-world.ts';

type Action =
  | { readonly kind: 'run' }
  | { readonly kind: 'end'; readonly which: number }
  | {
      readonly kind: 'swap';
      readonly to: (typeof names)[number];
      readonly fault: 'none' | 'open' | 'probe' | 'attest';
      readonly stale: boolean;
    }
  | { readonly kind: 'tick'; readonly ms: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'run' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(50) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('swap' as const),
      to: fc.constantFrom(...names),
      fault: fc.constantFrom('none', 'none', 'none', 'open', 'probe', 'attest'),
      stale: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tick' as const), ms: fc.nat(1000) }) },
);

describe('the swap state machine', () => {
  it('keeps one active generation, growing numbers and balanced leases, and calls nothing that is closed', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const world = await createWorld();
        try {
          await play(world, actions);
        } finally {
          await world.bindings.close();
        }
        expect(world.recorder.open.size).to.equal(0);
      }),
      { numRuns: 500 },
    );
  });

  async function play(
    { recorder, bindings, swapper, time, failing }: World,
    actions: readonly Action[],
  ): Promise<void> {
    const binding = bindings.find(orbId) ?? expect.fail('no binding');
    const held: Lease[] = [];
    let last = 0;
    let tokens = 0;
    const active = () => binding.order[0]?.generation ?? expect.fail('nothing is bound');
    const end = async (lease: Lease): Promise<void> => {
      // A run calls the provider on the generation it holds, however long it has been replaced.
      const outcome = await lease.generation.call({
        inputs: { token: `t${tokens++}` },
        signal: new AbortController().signal,
        idempotency_key: 'k',
      });
      expect(outcome?.outcome).to.equal('accepted');
      lease.generation.release(lease);
    };
    for (const step of actions) {
      if (step.kind === 'run') held.push(active().lease() ?? expect.fail());
      if (step.kind === 'tick') time.now += step.ms;
      if (step.kind === 'end' && held.length > 0)
        await end(held.splice(step.which % held.length, 1)[0] ?? expect.fail());
      if (step.kind === 'swap') {
        const before = binding.order;
        const number = active().number;
        recorder.behaviour[step.to] =
          step.fault === 'open' || step.fault === 'probe'
            ? { [step.fault]: () => Promise.reject(new Error('no')) }
            : undefined;
        failing.attests = step.fault === 'attest' ? Infinity : 0;
        const request = {
          orb_id: orbId,
          provider: step.to,
          principal: undefined,
          ifMatch: step.stale ? `"${number - 1}"` : `"${number}"`,
        };
        const swap = await swapper.swap(request, () => Promise.resolve(undefined)).catch((error: unknown) => error);
        recorder.behaviour[step.to] = undefined;
        const good = step.fault === 'none' && !step.stale;
        expect(swap instanceof Error).to.equal(!good);
        // A failure before the rebinding leaves the routing as it was, to the same objects.
        if (!good) expect(binding.order).to.equal(before);
        else expect(active()).to.include({ number: (swap as { generation: number }).generation });
      }
      expect(active().number).to.be.at.least(last);
      last = active().number;
      expect(binding.order.map(({ provider: { name } }) => name)).to.have.members([
        ...new Set([active().provider.name, 'a', 'b', 'c']),
      ]);
      const generations = [...binding.order.flatMap(({ generation }) => generation ?? []), ...binding.draining];
      const opened = new Set(generations.map(({ number }) => number));
      // A number is one opening: what drains and what stands by may share one, and nothing else does.
      expect(opened.size).to.equal(new Set(generations.map(({ transport }) => transport)).size);
      expect(new Set(binding.order.map(({ generation }) => generation?.number)).size).to.equal(binding.order.length);
      expect(generations.reduce((sum, { in_flight }) => sum + in_flight, 0)).to.equal(held.length);
    }
    for (const lease of held.splice(0)) await end(lease);
    await swapper.settled();
    expect(binding.draining.size).to.equal(0);
    expect(recorder.lateCalls).to.deep.equal([]);
    expect(recorder.open.size).to.equal(binding.order.length);
    expect(binding.order.every(({ generation }) => generation?.in_flight === 0)).to.equal(true);
  }
});
