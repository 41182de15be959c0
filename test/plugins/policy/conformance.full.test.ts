import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { canonical } from '../../../kernel/tools/canonical.ts';
import { createPool, type Pool } from '../../../plugins/policy/evaluator/pool.ts';
import type { PoolAnswer } from '../../../plugins/policy/evaluator/question.ts';
import { createCompiler, type Compiler } from '../../../plugins/policy/toolchain/compiler.ts';
import { compilerSources } from '../../../plugins/policy/toolchain/locate.ts';
import { offeredBuiltins } from '../../../plugins/policy/toolchain/request.ts';
import { WebAssembly } from '../../../plugins/policy/evaluator/web-assembly.ts';
import { compilerOrSkip } from './compiler.ts';
import { leaveOut } from '../../helpers/needs.ts';

/** One of OPA's own cases, as its files have it. */
interface Case {
  readonly note: string;
  readonly query: string;
  readonly modules?: readonly string[];
  readonly data?: object;
  readonly input?: unknown;
  readonly input_term?: string;
  readonly want_result?: readonly Record<string, unknown>[];
  readonly want_defined?: boolean;
  readonly want_error?: string;
  readonly want_error_code?: string;
  readonly strict_error?: boolean;
  readonly sort_bindings?: boolean;
  readonly env?: object;
}

type Judged = 'passed' | 'left out' | { readonly failed: string };

// In `.ci/run` every twentieth; `POLICY_SOAK=1` runs all.
const step = process.env['POLICY_SOAK'] === '1' ? 1 : 20;
const listed = new Set(
  [
    ...readFileSync(new URL('../../../plugins/policy/README.md', import.meta.url), 'utf8').matchAll(
      /^\| `([^`]+)` +\|/gm,
    ),
  ].map(([, note]) => note ?? ''),
);

describe("OPA's own conformance cases", () => {
  let compiler: Compiler;
  let pool: Pool;
  let cases: readonly Case[];
  before(function () {
    this.timeout(900_000);
    const path = compilerOrSkip(this);
    const folder = casesFolder();
    // OPA's cases are in the module cache of Go.
    if (folder === undefined) leaveOut(this, 'go');
    compiler = createCompiler(path);
    pool = createPool({ threads: 1, deadlineMs: 500, queue: { all: 10, each: 10 } });
    cases = readCases(folder);
  });
  after(async () => {
    await compiler?.stop();
    await pool?.stop();
  });

  it('pass through our compiler, the evaluator and our builtins, or are listed with their reason', async function () {
    this.timeout(1_800_000);
    const counts = { passed: 0, failed: 0, 'left out': 0 };
    const unlisted: string[] = [];
    const failing = new Set<string>();
    for (let index = 0; index < cases.length; index += step) {
      const one = cases[index];
      if (one === undefined) continue;
      const judged = await judge(compiler, pool, one);
      const kind = typeof judged === 'string' ? judged : 'failed';
      counts[kind] += 1;
      if (typeof judged !== 'string' && !listed.has(one.note)) unlisted.push(`${one.note}: ${judged.failed}`);
      if (kind === 'failed') failing.add(one.note);
    }
    const ran = counts.passed + counts.failed;
    console.log(
      `      ${counts.passed} of ${ran} applicable cases pass, ${counts.failed} are listed; ${counts['left out']} need what decisions do not offer`,
    );
    expect(unlisted, unlisted.join('\n')).to.have.length(0);
    // Several cases share a note: it is cured when none of them fails any more.
    const cured = step === 1 ? [...listed].filter((note) => !failing.has(note)) : [];
    expect(cured, 'listed, but they pass').to.deep.equal([]);
    expect(counts.passed).to.be.above(1700 / step - 20);
  });
});

function casesFolder(): string | undefined {
  try {
    const args = ['mod', 'download', '-json', 'github.com/open-policy-agent/opa'];
    const { Dir } = JSON.parse(execFileSync('go', args, { cwd: compilerSources, encoding: 'utf8' })) as { Dir: string };
    return join(Dir, 'v1/test/cases/testdata/v1');
  } catch {
    return undefined;
  }
}

function readCases(folder: string): readonly Case[] {
  // The evaluator's package brings it.
  const nearby = createRequire(createRequire(import.meta.url).resolve('@open-policy-agent/opa-wasm'));
  const yaml = nearby('yaml') as { parse(text: string, options: object): { cases?: readonly Case[] } };
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .flatMap((name) => yaml.parse(readFileSync(join(folder, name), 'utf8'), { merge: true }).cases ?? []);
}

async function judge(compiler: Compiler, pool: Pool, one: Case): Promise<Judged> {
  const input = inputOf(one);
  if (input === 'not JSON' || one.env !== undefined) return 'left out';
  const wantsError = one.want_error !== undefined || one.want_error_code !== undefined;
  const request = { op: 'query', query: one.query, modules: one.modules ?? [], builtins: offeredBuiltins };
  const compiled = await compiler
    .call<{ wasm?: string; refused?: string }>(
      { ...request, ...(one.data === undefined ? {} : { data: one.data }) },
      20_000,
    )
    .catch((error: unknown) => ({ wasm: undefined, refused: String(error) }));
  if (compiled.wasm === undefined) {
    if (
      /undefined function|must reference existing input, data, or a function|var opa is unsafe/.test(
        compiled.refused ?? '',
      )
    )
      return 'left out';
    return wantsError ? 'passed' : { failed: `refused: ${compiled.refused?.slice(0, 200) ?? ''}` };
  }
  const answer = await evaluate(pool, compiled.wasm, input, one.data ?? {});
  if (wantsError) {
    // Without strict errors a builtin's failure is undefined: no result either way.
    const nothing = 'fault' in answer || isEmpty(answer.answer);
    return nothing ? 'passed' : { failed: `no error: ${JSON.stringify(answer).slice(0, 200)}` };
  }
  if ('fault' in answer) return { failed: `${answer.fault}: ${answer.detail.slice(0, 200)}` };
  return compare(one, answer.answer);
}

function isEmpty(answer: unknown): boolean {
  return (
    Array.isArray(answer) &&
    answer.every((row) => Object.values(row as object).every((value) => value === false || isEmpty(value)))
  );
}

function inputOf({ input, input_term }: Case): string | undefined {
  if (input_term === undefined) return input === undefined ? undefined : JSON.stringify(input);
  try {
    return JSON.stringify(JSON.parse(input_term));
  } catch {
    return 'not JSON';
  }
}

async function evaluate(pool: Pool, wasm: string, input: string | undefined, data: object): Promise<PoolAnswer> {
  const module = await WebAssembly.compile(Buffer.from(wasm, 'base64'));
  pool.load({ revision: 'case', module, data: JSON.stringify(data) });
  return pool.evaluate({ revision: 'case', entrypoint: 0, input, time_ns: '1615283112000000000', principal: 'case' });
}

function compare(one: Case, answer: unknown): Judged {
  const rows = (answer as readonly Record<string, unknown>[]).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !/^(\$|__|_)/.test(name))),
  );
  if (one.want_result === undefined) {
    const defined = rows.length > 0;
    return one.want_defined === undefined || one.want_defined === defined
      ? 'passed'
      : { failed: `defined: ${defined}` };
  }
  const [found, wanted] = [rows, one.want_result].map((value) => canonical(ordered(JSON.parse(JSON.stringify(value)))));
  return found === wanted ? 'passed' : { failed: `${found?.slice(0, 150)} instead of ${wanted?.slice(0, 150)}` };
}

// Sets and bindings have no order of their own.
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, ordered(member)]));
}
