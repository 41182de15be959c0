import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { compile, ProviderError, type Adapter, type JsonSchema, type ProviderHandle } from '../../kernel/index.ts';
import { createLog } from '../../kernel/log.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** What stands on the other side of the adapter. */
export interface Receiver {
  /** Effects so far: messages delivered, files written. */
  effects(): number | Promise<number>;
  /** Calls that arrived so far, successful or not; absent when a call cannot be told from an effect. */
  calls?(): number;
  /** Resolves when the adapter holds no connection any more. */
  quiet?(): Promise<void>;
}

/** One way of failing. `arrange` breaks the receiver or answers a configuration that fails; `restore` undoes it. */
export interface Fault {
  readonly name: string;
  readonly outcome: ProviderError['outcome'];
  readonly phase?: string;
  /** Calls the receiver sees: more than this is a retry. */
  readonly calls?: number;
  readonly inputs?: Inputs;
  arrange(): object | undefined | Promise<object | undefined>;
  restore?(): void | Promise<void>;
}

/** What the suite needs to know of one adapter. Functions are called after the suite's `before` hooks. */
export interface ConformanceOptions {
  readonly adapter: Adapter;
  /** The Orb whose outputs it must give; its manifest is read from data/orbs. */
  readonly orbId: string;
  readonly config: (stateDir: string) => object;
  readonly inputs: Inputs;
  /** Values that may show up nowhere. */
  readonly secrets?: readonly string[];
  readonly receiver?: (stateDir: string) => Receiver;
  readonly faults?: readonly Fault[];
  /** Makes the receiver hang; answers a promise that resolves when the call has got stuck there. */
  readonly hang?: () => { readonly stuck: Promise<void>; restore(): void; readonly outcome: ProviderError['outcome'] };
}

/** A provider-side key as the kernel makes it: 52 characters of lower-case base32. */
export function testKey(name: string): string {
  return `${name}${'a'.repeat(52)}`.slice(0, 52);
}

const settleMs = 5000;

/** Declares, inside a `describe`, what every adapter must keep to. */
export function conformance(options: ConformanceOptions): void {
  const { adapter, orbId, inputs, secrets = [], faults = [] } = options;
  const lines: string[] = [];
  const log = createLog('debug', (line) => lines.push(line));
  let stateDir: string;
  let receiver: Receiver | undefined;
  const opened: ProviderHandle[] = [];

  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'orb-conformance-'));
    receiver = options.receiver?.(stateDir);
    lines.length = 0;
  });
  afterEach(async () => {
    for (const handle of opened.splice(0)) await handle.close?.();
    await rm(stateDir, { recursive: true, force: true });
  });

  const open = async (config: object = options.config(stateDir), keep = true): Promise<ProviderHandle> => {
    const filled = structuredClone(config);
    expect(compile(adapter.config)(filled), 'the configuration fits the schema').to.deep.equal([]);
    const scope = { config: filled as never, signal: new AbortController().signal, stateDir, log };
    const handle = await adapter.open(scope);
    if (keep) opened.push(handle);
    return handle;
  };
  const execute = (handle: ProviderHandle, signal: AbortSignal, given: Inputs = inputs, key = testKey('k')) =>
    handle.execute(given, { signal, idempotency_key: key, log });
  const noSignal = (): AbortSignal => new AbortController().signal;

  it('names itself <capability>/<adapter> and has a strict configuration schema', () => {
    expect(adapter.name).to.match(new RegExp(`^${adapter.capability}/[a-z0-9-]+$`));
    expect(() => compile(adapter.config)).not.to.throw();
    expect(adapter.config['additionalProperties'], 'unknown settings are refused').to.equal(false);
  });

  it('marks every setting that sounds like a secret', () => {
    expect(unmarkedSecrets(adapter.config)).to.deep.equal([]);
  });

  it('opens, proves itself without an effect, and answers outputs that fit the Orb', async () => {
    const handle = await open();
    await handle.probe?.(noSignal());
    if (receiver) expect(await receiver.effects(), 'effects of the probe').to.equal(0);
    const outputs = await execute(handle, noSignal());
    expect(compile(outputsSchema(orbId))(outputs)).to.deep.equal([]);
    if (receiver && effectOf(orbId) !== 'none') expect(await receiver.effects()).to.equal(1);
  });

  it('leaves its inputs as they were, even when they are frozen', async () => {
    const handle = await open();
    const given = deepFreeze(structuredClone(inputs));
    await execute(handle, noSignal(), given);
    expect(given).to.deep.equal(inputs);
  });

  it('does nothing and says not_sent when the deadline has passed already', async () => {
    const handle = await open();
    const error = await failure(execute(handle, AbortSignal.abort()));
    expect(error.outcome).to.equal('not_sent');
    if (receiver) expect(await receiver.effects()).to.equal(0);
  });

  for (const fault of faults)
    it(`says ${fault.outcome} once, without a retry: ${fault.name}`, async () => {
      const handle = await open((await fault.arrange()) ?? options.config(stateDir));
      try {
        const before = receiver?.calls?.() ?? 0;
        const error = await failure(execute(handle, noSignal(), fault.inputs));
        expect(error.outcome, inspect(error)).to.equal(fault.outcome);
        if (fault.phase !== undefined) expect(error.phase).to.equal(fault.phase);
        if (error.outcome === 'throttled') expect(error.retry_after).to.be.greaterThan(0);
        if (error.outcome === 'unknown') expect(error.phase, 'unknown says where').to.be.a('string');
        if (receiver?.calls && fault.calls !== undefined) expect(receiver.calls() - before).to.equal(fault.calls);
        expectNoSecret(secrets, [error.message, ...causes(error), ...lines]);
      } finally {
        await fault.restore?.();
      }
    });

  const { hang } = options;
  if (hang)
    it('settles soon after the signal, when the other side hangs', async () => {
      const { stuck, restore, outcome } = hang();
      try {
        const deadline = new AbortController();
        const call = failure(execute(await open(), deadline.signal));
        await stuck;
        deadline.abort();
        const started = performance.now();
        expect((await call).outcome).to.equal(outcome);
        expect(performance.now() - started).to.be.lessThan(settleMs);
      } finally {
        restore();
      }
    });

  it('writes no secret into log lines or answers', async () => {
    const handle = await open();
    await handle.probe?.(noSignal());
    const outputs = await execute(handle, noSignal());
    expectNoSecret(secrets, [...lines, JSON.stringify(outputs)]);
  });

  if (adapter.idempotency.kind === 'lookup')
    it('looks up by key exactly what was dispatched, and repeats no effect under a used key', async () => {
      const handle = await open();
      expect(await handle.lookup?.(testKey('unused'), noSignal())).to.equal(undefined);
      const outputs = await execute(handle, noSignal(), inputs, testKey('used'));
      expect(await handle.lookup?.(testKey('used'), noSignal())).to.deep.equal(outputs);
      expect(await execute(handle, noSignal(), inputs, testKey('used')), 'the same key again').to.deep.equal(outputs);
      if (receiver) expect(await receiver.effects(), 'still one effect').to.equal(1);
    });
  else
    it('offers no look-up that it does not declare', async () => {
      expect((await open()).lookup).to.equal(undefined);
    });

  it('releases everything on close', async () => {
    const handle = await open(undefined, false);
    await execute(handle, noSignal());
    await handle.close?.();
    await receiver?.quiet?.();
  });

  it('leaks nothing over 100 openings', async () => {
    const cycle = async (): Promise<void> => {
      const handle = await open(undefined, false);
      await handle.probe?.(noSignal());
      await handle.close?.();
    };
    await cycle();
    await receiver?.quiet?.();
    const before = descriptors();
    for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 10 }, cycle));
    await receiver?.quiet?.();
    expect(await settledDescriptors(before), 'file descriptors left open').to.be.lessThan(before + 5);
  });
}

async function failure(call: Promise<unknown>): Promise<ProviderError> {
  const result = await call.then(
    (value) => expect.fail(`answered ${JSON.stringify(value)} instead of failing`),
    (error: unknown) => error,
  );
  expect(result, inspect(result)).to.be.instanceOf(ProviderError);
  return result as ProviderError;
}

interface Manifest {
  readonly effect: string;
  readonly outputs_schema: JsonSchema;
}

function manifest(orbId: string): Manifest {
  return JSON.parse(readFileSync(new URL(`../../data/orbs/${orbId}.json`, import.meta.url), 'utf8')) as Manifest;
}

function outputsSchema(orbId: string): JsonSchema {
  return manifest(orbId).outputs_schema;
}

function effectOf(orbId: string): string {
  return manifest(orbId).effect;
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

function expectNoSecret(secrets: readonly string[], texts: readonly string[]): void {
  for (const secret of secrets)
    for (const form of [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')])
      for (const text of texts) expect(text).not.to.include(form);
}

function causes(error: Error): string[] {
  return error.cause instanceof Error ? [inspect(error.cause), ...causes(error.cause)] : [];
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** Counts until the system has closed what was let go, or the time is up: closing takes some turns of the loop. */
async function settledDescriptors(goal: number): Promise<number> {
  const started = performance.now();
  while (descriptors() > goal && performance.now() - started < settleMs) await setImmediate();
  return descriptors();
}

function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}
