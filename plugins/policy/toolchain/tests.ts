import { given } from '../../../kernel/index.ts';
import type { WasmModule } from '../evaluator/web-assembly.ts';
import type { Pool } from '../evaluator/pool.ts';
import type { PoolAnswer } from '../evaluator/question.ts';
import { faultOf } from '../folder/gate.ts';
import type { Diagnostic, TestResult } from '../shapes.ts';

/** A test as the compiler answers it: as OPA's interpreter ran it, and where its Wasm is. */
export type CompiledTest = TestResult & {
  /** Absent: the test is skipped, or cannot pass in any evaluator. */
  readonly entrypoint?: string;
  /** Names of the cases, for a rule with a case per row. */
  readonly cases?: readonly (readonly string[])[];
};

/** Tests that are compiled, with the data of their folder. */
interface CompiledTests {
  readonly name: string;
  readonly tests: readonly CompiledTest[];
  /** Absent: no test has an entrypoint. */
  readonly module: WasmModule | undefined;
  readonly data: string;
  /** The time that the tests read, in nanoseconds. */
  readonly time_ns: string;
}

/** Results of tests, and a diagnostic for each that failed. */
export interface Judged {
  readonly tests: readonly TestResult[];
  readonly diagnostics: readonly Diagnostic[];
}

// Each of them may use the whole deadline of an evaluation.
const mostTimeouts = 3;

/** Decides tests by the evaluator that decides runs: the same Wasm, builtins and deadline. */
export async function judgeTests(pool: Pool, { name, tests, module, data, time_ns }: CompiledTests): Promise<Judged> {
  if (module !== undefined) pool.load({ revision: name, module, data });
  const judged: Judged[] = [];
  let timeouts = 0;
  try {
    for (const test of tests) {
      const frame = { revision: name, principal: name, input: undefined, time_ns };
      const asked = test.skipped !== true && test.entrypoint !== undefined;
      const answer =
        asked && timeouts < mostTimeouts ? await pool.evaluate({ ...frame, entrypoint: test.entrypoint }) : undefined;
      if (answer !== undefined && 'fault' in answer && answer.fault === 'policy_timeout') timeouts += 1;
      judged.push(judge(test, answer));
    }
  } finally {
    pool.unload(name);
  }
  return { tests: judged.flatMap((one) => one.tests), diagnostics: judged.flatMap((one) => one.diagnostics) };
}

function judge(test: CompiledTest, answer: PoolAnswer | undefined): Judged {
  const { entrypoint, cases, passed: interpreted, skipped, message, ...told } = test;
  if (skipped === true) return { tests: [{ ...told, passed: false, skipped }], diagnostics: [] };
  const why = answer === undefined ? (message ?? unasked(entrypoint)) : failureOf(answer, cases, message);
  const passed = why === undefined;
  const result: TestResult = { ...told, passed, ...given({ message: why === '' ? undefined : why }) };
  const at = { file: test.file, line: test.line, column: 1 };
  if (passed && interpreted) return { tests: [result], diagnostics: [] };
  if (passed) return { tests: [result], diagnostics: [{ ...differs(test.name), ...at }] };
  const hint = why === '' && interpreted ? otherwise : why;
  const code = answer !== undefined && 'fault' in answer && isLate(answer.fault) ? answer.fault : 'test_failed';
  return {
    tests: [hint === otherwise ? { ...result, message: otherwise } : result],
    diagnostics: [{ ...faultOf(code, `the test ${test.name} failed`, undefined, hint || undefined), ...at }],
  };
}

const otherwise = 'it is false in the evaluator that decides runs, and true in the OPA interpreter';

function differs(name: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'interpreter_differs',
    message: `the test ${name} passes in the evaluator that decides runs, and fails in the OPA interpreter`,
  };
}

function unasked(entrypoint: string | undefined): string {
  return entrypoint === undefined ? '' : 'it was not evaluated, because other tests used all the time';
}

function isLate(fault: string): boolean {
  return fault === 'policy_timeout' || fault === 'policy_overloaded';
}

// Returns undefined when the test passed, and an empty text when it is just not true.
function failureOf(
  answer: PoolAnswer,
  cases: readonly (readonly string[])[] = [],
  message: string | undefined,
): string | undefined {
  if ('fault' in answer) return `${answer.fault}: ${answer.detail}`;
  const [row] = Array.isArray(answer.answer) ? (answer.answer as readonly unknown[]) : [];
  const value = memberOf(row, 'result');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return value === true ? undefined : (message ?? '');
  const expected = cases.filter((path) => path.reduce(memberOf, value as unknown) !== true);
  const failed = [...expected, ...falseBelow(value, [])].map((path) => path.join(' / '));
  return failed.length === 0 ? undefined : `failed: ${[...new Set(failed)].slice(0, 20).join(', ')}`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function falseBelow(value: unknown, path: readonly string[]): readonly (readonly string[])[] {
  if (value === true) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, one]) => falseBelow(one, [...path, name]));
}
