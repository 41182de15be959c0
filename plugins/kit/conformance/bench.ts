import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { compile, createLog } from '../../../kernel/index.ts';
import { ProviderError, type ProviderHandle, type UpstreamCall } from '../../../kernel/adapter.ts';
import { expectNone } from './expectation.ts';
import type { ConformanceOptions, Inputs } from './options.ts';
import { expectNoSecret, textsOf } from './secret-search.ts';

/** One call of an adapter; absent members have the suite's defaults. */
export interface Call {
  readonly signal?: AbortSignal;
  readonly inputs?: Inputs;
  readonly key?: string;
}

/** The tools of one check: a fresh folder, a receiver, and openings that are closed at its end. */
export type Bench = ReturnType<typeof createBench>;

/** A provider-side key as the kernel makes it: 52 characters of lower-case base32. */
export function testKey(name: string): string {
  return `${name}${'a'.repeat(52)}`.slice(0, 52);
}

/** A signal that never aborts. */
export function noSignal(): AbortSignal {
  return new AbortController().signal;
}

/** Runs one check; fails if afterwards a secret is in anything that was logged, thrown, answered or written. */
export async function onBench(options: ConformanceOptions, check: (bench: Bench) => Promise<void>): Promise<void> {
  const stateDir = await mkdtemp(join(tmpdir(), 'orb-conformance-'));
  const said: string[] = [];
  const opened: ProviderHandle[] = [];
  const before = options.written?.().length ?? 0;
  try {
    await check(createBench(options, { stateDir, said, opened }));
    expectNoSecret(options.secrets ?? [], [...said, ...(options.written?.().slice(before) ?? [])]);
  } finally {
    for (const handle of opened) await handle.close?.();
    await rm(stateDir, { recursive: true, force: true });
  }
}

function upstreamOf({ upstream, effect }: ConformanceOptions['orb']): { upstream?: UpstreamCall } {
  if (upstream === undefined) return {};
  return { upstream: { ...upstream, effect, principal: 'prn_conformance', report: () => undefined } };
}

interface Material {
  readonly stateDir: string;
  /** Log lines, errors and outputs. */
  readonly said: string[];
  readonly opened: ProviderHandle[];
}

function createBench(options: ConformanceOptions, { stateDir, said, opened }: Material) {
  const { adapter, inputs } = options;
  const log = createLog('debug', (line) => said.push(line));
  return {
    receiver: options.receiver?.(stateDir),
    /** Opens the adapter; with `forget` the check closes it itself. */
    async open(config: object = options.config(stateDir), { forget = false }: { readonly forget?: boolean } = {}) {
      const filled = structuredClone(config);
      expectNone(compile(adapter.config)(filled), 'the configuration does not match the schema');
      // This adapter's schema has accepted the configuration just above; only its type was erased.
      const handle = await adapter.open({ config: filled as never, signal: noSignal(), stateDir, log });
      assert.equal(typeof handle?.execute, 'function', 'open answered no handle with execute()');
      if (!forget) opened.push(handle);
      return handle;
    },
    async execute(
      handle: ProviderHandle,
      { signal = noSignal(), inputs: given = inputs, key = testKey('k') }: Call = {},
    ) {
      const context = { signal, idempotency_key: key, log, ...upstreamOf(options.orb) };
      const outputs = await handle.execute(given, context).catch((error: unknown) => {
        said.push(...textsOf(error));
        throw error;
      });
      said.push(JSON.stringify(outputs));
      return outputs;
    },
    /** Resolves to the ProviderError with which a call fails; any other end is a fault. */
    async failure(call: Promise<unknown>) {
      const error = await call.then(
        (value) => assert.fail(`answered ${JSON.stringify(value)} instead of failing`),
        (thrown: unknown) => thrown,
      );
      if (error instanceof assert.AssertionError) throw error;
      assert.ok(error instanceof ProviderError, `threw an error other than ProviderError: ${inspect(error)}`);
      return error;
    },
  };
}
