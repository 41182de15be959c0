import { canonical, given } from '../../../kernel/index.ts';
import type { ReadPaths } from '../contract.ts';
import type { Pool } from '../evaluator/pool.ts';
import { compilerFiles, faultOf, type Gated } from '../folder/gate.ts';
import { revisionDigest, type Revision } from '../revisions/revision.ts';
import type { Action, Diagnostic, PolicyInfo, TestResult } from '../shapes.ts';
import { smokeInputs } from './sample-questions.ts';
import { WebAssembly } from '../evaluator/web-assembly.ts';
import { CompilerFault, type Compiler } from './compiler.ts';
import { withExcerpts } from './excerpt.ts';
import { ask } from './request.ts';
import { judgeTests, type CompiledTest, type Judged } from './tests.ts';

/** The compiler's answer for a folder. */
interface BuildAnswer {
  readonly diagnostics: readonly Diagnostic[];
  readonly policies: readonly PolicyInfo[];
  readonly entrypoints?: Readonly<Record<Action, ReadPaths>>;
  readonly tests?: readonly CompiledTest[];
  readonly coverage?: unknown;
  /** Base64. */
  readonly wasm?: string;
  /** Base64 of a module with an entrypoint per test. */
  readonly test_wasm?: string;
  readonly tests_at?: string;
  readonly smoke?: Readonly<Record<Action, readonly unknown[]>>;
}

/** Result of building a candidate; `revision`: present when no diagnostic has severity error. */
export type Built = Omit<BuildAnswer, 'tests' | 'wasm' | 'test_wasm' | 'tests_at' | 'smoke'> & {
  readonly tests: readonly TestResult[];
  readonly revision?: Revision;
};

/** Options for building a candidate. */
export interface BuildOptions {
  /** Requests the coverage of the tests. */
  readonly coverage?: boolean;
  /** Puts the candidate first in the compiler's queue. */
  readonly urgent?: boolean;
}

/** Says whether a list of diagnostics holds an error, which stops a candidate. */
export function stops(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

/**
 * Checks gated files with the other gates: parse, strict check, compile, then on `pool`, which evaluates as runs are
 * decided, the tests and the smoke evaluation, where Wasm must agree with OPA's interpreter and keep the deadline.
 * Throws CompilerFault only when too many candidates wait.
 */
export async function buildRevision(
  compiler: Compiler,
  pool: Pool,
  gated: Gated,
  options: BuildOptions = {},
): Promise<Built> {
  if (stops(gated.diagnostics))
    return { diagnostics: withExcerpts(gated.diagnostics, gated.files), policies: [], tests: [] };
  const request = { op: 'build', files: compilerFiles(gated.files), data: gated.data, tests: true, wasm: true };
  const more = { smoke: smokeInputs, coverage: options.coverage === true };
  const answer = await ask<BuildAnswer>(compiler, { ...request, ...more }, options).catch(failed);
  const { policies, entrypoints, coverage, wasm } = answer;
  const { tests, diagnostics: tested } = await test(pool, gated, answer);
  const found = { policies, tests, ...given({ entrypoints, coverage }) };
  const checked = [...answer.diagnostics, ...tested];
  if (stops(checked) || wasm === undefined || entrypoints === undefined)
    return { ...found, diagnostics: withExcerpts(checked, gated.files) };
  const revision: Revision = {
    digest: revisionDigest(gated.files),
    files: gated.files,
    data: gated.data,
    policies,
    entrypoints,
    wasm: Buffer.from(wasm, 'base64'),
  };
  const faults = await smoke(pool, revision, answer.smoke);
  const diagnostics = withExcerpts([...checked, ...faults], gated.files);
  return { ...found, diagnostics, ...(stops(faults) ? {} : { revision }) };
}

function failed(error: unknown): BuildAnswer {
  if (!(error instanceof CompilerFault) || error.kind === 'busy') throw error;
  const codes = { deadline: 'check_timeout', trap: 'too_complex', refused: 'compiler_refused' } as const;
  const message =
    error.kind === 'trap' ? 'the policies are too complex for the compiler' : error.message.slice(0, 1000);
  return { diagnostics: [faultOf(codes[error.kind], message)], policies: [] };
}

// Two candidates of the same files must not unload each other's module.
let smoked = 0;

// For a reference that can reach a function without calling it, the library generates a call without arguments.
const invalid = faultOf(
  'wasm_invalid',
  'the compiler produced invalid Wasm from the policies or their tests',
  undefined,
  'a reference with a variable part, such as data.lib[name], must not reach a package that has functions; move the functions to another package',
);

async function test(
  pool: Pool,
  { data, files }: Gated,
  { tests = [], test_wasm = '', tests_at: time_ns = '0' }: BuildAnswer,
): Promise<Judged> {
  if (tests.length === 0) return { tests: [], diagnostics: [] };
  const some = tests.some(({ entrypoint }) => entrypoint !== undefined);
  const module = some ? await WebAssembly.compile(Buffer.from(test_wasm, 'base64')).catch(() => undefined) : undefined;
  if (some && module === undefined) return { tests: [], diagnostics: [invalid] };
  const name = `tests ${(smoked += 1)} ${revisionDigest(files)}`;
  return judgeTests(pool, { name, tests, module, data: JSON.stringify(data), time_ns });
}

async function smoke(
  pool: Pool,
  { digest, wasm, data }: Revision,
  expected: BuildAnswer['smoke'],
): Promise<readonly Diagnostic[]> {
  const name = `smoke ${(smoked += 1)} ${digest}`;
  const module = await WebAssembly.compile(wasm).catch(() => undefined);
  if (module === undefined) return [invalid];
  pool.load({ revision: name, module, data: JSON.stringify(data) });
  const found: Diagnostic[] = [];
  try {
    for (const [action, inputs] of Object.entries(smokeInputs)) {
      for (const [index, input] of inputs.entries()) {
        const question = { revision: name, entrypoint: `orb/system/${action}`, principal: name };
        const time_ns = '1767225600000000000';
        const answer = await pool.evaluate({ ...question, input: JSON.stringify(input), time_ns });
        const fault = 'fault' in answer ? answer : undefined;
        // A bad builtin argument on a sample does not stop the candidate: real inputs may be valid.
        if (fault !== undefined && fault.fault !== 'policy_builtin_error')
          found.push(faultOf(fault.fault, `${action} failed on a sample input: ${fault.detail}`));
        if ('answer' in answer && !same(answer.answer, expected?.[action as Action][index]))
          found.push(faultOf('wasm_differs', `${action}: Wasm and OPA's interpreter disagree`));
      }
    }
  } finally {
    pool.unload(name);
  }
  return found;
}

function same(answer: unknown, expected: unknown): boolean {
  const [first] = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
  const result = typeof first === 'object' && first !== null && 'result' in first ? first.result : undefined;
  return canonical(ordered(result ?? null)) === canonical(ordered(expected ?? null));
}

// Sets arrive as lists, and Wasm and the interpreter order them differently.
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, ordered(one)]));
}
