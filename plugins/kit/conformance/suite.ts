import assert from 'node:assert/strict';
import { canonical, compile, type JsonSchema } from '../../../kernel/index.ts';
import { noSignal, onBench, testKey, type Bench } from './bench.ts';
import { expectNone, outputsSchema } from './expectation.ts';
import { faultChecks } from './fault-checks.ts';
import { descriptors, leftDescriptors, leftResources, resources } from './leak.ts';
import type { Check, ConformanceOptions } from './options.ts';

/** Lists the rules for every adapter, in the order in which they are read best. */
export function conformanceChecks(options: ConformanceOptions): readonly Check[] {
  return [
    ...definitionChecks(options),
    ...contractChecks(options),
    ...faultChecks(options),
    ...lookupChecks(options),
    ...leakChecks(options),
  ];
}

/** Checks of an adapter's declaration; nothing is opened. */
function definitionChecks({ adapter }: ConformanceOptions): readonly Check[] {
  const check = (title: string, run: () => void): Check => ({ title, run: async () => run() });
  return [
    check('names itself <capability>/<adapter> and has a strict configuration schema', () => {
      assert.match(adapter.name, new RegExp(`^${adapter.capability}/[a-z0-9-]+$`));
      assert.doesNotThrow(() => compile(adapter.config));
      assert.equal(
        adapter.config['additionalProperties'],
        false,
        'unknown settings are not refused: additionalProperties',
      );
    }),
    check('marks every setting that sounds like a secret', () =>
      expectNone(unmarkedSecrets(adapter.config), 'settings without `secret: true`'),
    ),
  ];
}

/** Paths of settings that are named like a secret and are not marked as one. */
function unmarkedSecrets(schema: JsonSchema, path = ''): string[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  return properties.flatMap(([name, property]) => {
    const sounds = /pass|secret|token|credential|api_?key|private/i.test(name);
    const unmarked = sounds && property['type'] === 'string' && property['secret'] !== true;
    return [...(unmarked ? [`${path}/${name}`] : []), ...unmarkedSecrets(property, `${path}/${name}`)];
  });
}

function checkWith(options: ConformanceOptions): (title: string, check: (bench: Bench) => Promise<void>) => Check {
  return (title, check) => ({ title, run: () => onBench(options, check) });
}

function contractChecks(options: ConformanceOptions): readonly Check[] {
  const { orb, inputs } = options;
  const check = checkWith(options);
  return [
    check('opens, passes its probe without an effect, and returns outputs that match the Orb', async (bench) => {
      const handle = await bench.open();
      await handle.probe?.(noSignal());
      await expectEffects(bench, 0, 'effects of the probe');
      const outputs = await bench.execute(handle);
      const prototype: unknown = Object.getPrototypeOf(outputs);
      assert.ok(prototype === Object.prototype || prototype === null, 'outputs are a plain object');
      assert.doesNotThrow(() => canonical(outputs), 'outputs contain values that JSON cannot represent');
      expectNone(compile(outputsSchema(orb))(outputs), "the outputs break the Orb's schema");
      if (orb.effect !== 'none') await expectEffects(bench, 1, 'effects of one call');
    }),
    check('does not change its inputs, even when they are frozen', async (bench) => {
      const given = deepFreeze(structuredClone(inputs));
      await bench.execute(await bench.open(), { inputs: given });
      assert.deepEqual(given, inputs);
    }),
    check('does nothing and returns not_sent when the deadline has already passed', async (bench) => {
      const handle = await bench.open();
      const error = await bench.failure(bench.execute(handle, { signal: AbortSignal.abort() }));
      assert.equal(error.outcome, 'not_sent');
      await expectEffects(bench, 0, 'effects after the deadline');
    }),
  ];
}

function lookupChecks(options: ConformanceOptions): readonly Check[] {
  const check = checkWith(options);
  if (options.adapter.idempotency.kind !== 'lookup')
    return [
      check('has no look-up that it does not declare', async (bench) =>
        assert.equal((await bench.open()).lookup, undefined),
      ),
    ];
  return [
    check('finds by key exactly the dispatched calls', async (bench) => {
      const handle = await bench.open();
      const used = { key: testKey('used') };
      await expectAbsent(bench, handle.lookup?.(testKey('unused'), noSignal()));
      const outputs = await bench.execute(handle, used);
      assert.deepEqual(await handle.lookup?.(used.key, noSignal()), outputs);
      // For a service of a third party, only the look-up shows what was done; the kernel uses it before it calls again.
      if (options.adapter.sandbox === true)
        assert.deepEqual(await bench.execute(handle, used), outputs, 'the same key again');
      await expectEffects(bench, 1, 'one effect');
    }),
  ];
}

// An adapter whose vendor cannot prove that it has nothing says `unknown`.
async function expectAbsent(bench: Bench, lookup: Promise<unknown> | undefined): Promise<void> {
  const [looked] = await Promise.allSettled([lookup]);
  if (looked.status === 'fulfilled') return assert.equal(looked.value, undefined, 'a key that was never used');
  assert.equal((await bench.failure(Promise.reject(looked.reason as Error))).outcome, 'unknown');
}

function leakChecks(options: ConformanceOptions): readonly Check[] {
  const check = checkWith(options);
  return [
    check('releases everything on close: sockets, timers, watchers', async (bench) => {
      const before = resources();
      const handle = await bench.open(undefined, { forget: true });
      await bench.execute(handle);
      await handle.close?.();
      const connections = (await bench.receiver?.quiet?.().catch((error) => [(error as Error).message])) ?? [];
      expectNone([...connections, ...(await leftResources(before))], 'left open');
    }),
    check('leaks nothing over 100 openings', async (bench) => {
      const cycle = async (): Promise<void> => {
        const handle = await bench.open(undefined, { forget: true });
        await handle.probe?.(noSignal());
        await handle.close?.();
      };
      await cycle();
      await bench.receiver?.quiet?.();
      const before = descriptors();
      for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 10 }, cycle));
      await bench.receiver?.quiet?.();
      assert.equal(await leftDescriptors(before), 0, 'file descriptors left open');
    }),
  ];
}

async function expectEffects({ receiver }: Bench, count: number, what: string): Promise<void> {
  if (receiver === undefined) return;
  const effects = await receiver.effects();
  assert.equal(effects, count, `${what}: ${effects}, not ${count}`);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
