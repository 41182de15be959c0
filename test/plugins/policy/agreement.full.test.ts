import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { nativeBuiltins, packageBuiltins } from '../../../plugins/policy/builtins/names.ts';
import { ownBuiltinNames } from '../../../plugins/policy/builtins/all.ts';
import { createCompiler } from '../../../plugins/policy/toolchain/compiler.ts';
import { ask } from '../../../plugins/policy/toolchain/request.ts';
import type { Diagnostic, PolicyFile, TestResult } from '../../../plugins/policy/shapes.ts';
import { createRecorder, recordOrb } from '../../helpers/recorder.ts';
import type { Answer } from '../../helpers/platform.ts';
import { compilerOrSkip } from './compiler.ts';
import { table } from './expressions.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';

interface Row {
  readonly builtin: string;
  /** The line of the table, to read in a finding. */
  readonly line: string;
  readonly id: string;
  readonly expression: string;
  readonly value: string;
  /** JSON of the member of the inputs that it reads. */
  readonly input: string | undefined;
}

const rows: readonly Row[] = table
  .trim()
  .split('\n')
  .map((line, at) => {
    const [, builtin = '', expression = '', value = '', input] = /^(\S+): (.*?) → (.*?)(?: ← (.*))?$/.exec(line) ?? [];
    return { builtin, line, id: `e${at}`, expression, value, input };
  });
const failing = rows.filter(({ value }) => value.startsWith('!policy_'));
const refused = rows.filter(({ value }) => value.startsWith('!rego_'));
const valued = rows.filter(({ value }) => !value.startsWith('!'));

const place = 'input.context.inputs.v';
const reading = (expression: string, to: string): string => expression.replaceAll(/\bV\b/g, to);
/** A body that holds when a value is what the table says; `not`: when it is another one. */
const body = ({ expression, value }: Row, to: string, mock: string, not = false): string => {
  const read = reading(expression, to);
  if (value === 'undefined') return `count([x | x := ${read}]) == ${not ? 1 : 0}${mock}`;
  return `x := ${read}${mock}; x ${not ? '!=' : '=='} ${value}`;
};
const mockOf = ({ input }: Row): string => (input === undefined ? '' : ` with ${place} as ${input}`);

const accepting = '# METADATA\n# custom:\n#   fallible: accepted\n';
const id = (row: Row): string => `${place}.${row.id}`;
const ofValue = (row: Row): string =>
  `holds contains "${row.id}" if { ${body(row, id(row), '')} }\n\nfalse_of contains "${row.id}" if { ${body(row, id(row), '', true)} }`;
const libraryOf = (some: readonly Row[]): PolicyFile => ({
  path: 'lib.rego',
  source: `${accepting}package lib\n\n${some.map(ofValue).join('\n\n')}\n`,
});
const library = libraryOf(valued);
const ofFailing = (row: Row): string =>
  `allow if {\n\tinput.context.inputs.ask == "${row.id}"\n\tx := ${reading(row.expression, id(row))}\n\tx == x\n}`;
const policy: PolicyFile = {
  path: 'a.rego',
  source: `${accepting}package orb.policies.a

import data.lib

asks(what) if input.context.inputs.ask == what

allow if {
	asks("all")
	count(lib.holds) == ${valued.length}
}

allow if {
	asks("none")
	count(lib.false_of) > 0
}

deny contains row if {
	asks("each")
	some row in lib.holds
}

deny contains row if {
	asks("others")
	some row in lib.false_of
}

${failing.map(ofFailing).join('\n\n')}
`,
};
const ofTests = (row: Row): string => {
  const read = `x := ${reading(row.expression, place)}${mockOf(row)}; x == x`;
  if (row.value.startsWith('!')) return `test_${row.id} if { ${read} }`;
  const [is, not] = [body(row, place, mockOf(row)), body(row, place, mockOf(row), true)];
  return `test_${row.id} if { ${is} }\n\ntest_${row.id}_not if { ${not} }`;
};
const testsOf = (some: readonly Row[]): PolicyFile => ({
  path: 'a_test.rego',
  source: `package a_test\n\n${some.map(ofTests).join('\n\n')}\n`,
});

// The text of the request, so that numbers arrive as the table writes them.
const inputsOf = (asked: string): string =>
  `{"token": "t", "ask": "${asked}", "v": {${rows.flatMap((row) => (row.input === undefined ? [] : [`"${row.id}": ${row.input}`])).join(', ')}}}`;

interface Reason {
  readonly code: string;
  readonly message?: string;
}

interface Decision {
  readonly allow: boolean;
  readonly reasons?: readonly Reason[];
}

interface Tested {
  readonly tests: readonly TestResult[];
  readonly diagnostics: readonly Diagnostic[];
}

describe('a test, a dry run and a run', () => {
  const recorder = createRecorder();
  let home: PolicyHome;
  let compiler: string;
  before(async function () {
    compiler = compilerOrSkip(this);
    const orbId = 'test.record@1.0.0';
    // A folder without the shipped policies, which allow more.
    const folder = mkdtempSync(join(tmpdir(), 'orb-policy-'));
    mkdirSync(join(folder, 'policies'));
    home = await startPolicyHome(
      { [policy.path]: policy.source, [library.path]: library.source },
      {
        home: folder,
        platform: { providers: { main: { adapter: 'record/local', config: { name: 'live' } } } },
        data: {
          [`orbs/${orbId}.json`]: { ...recordOrb({}), inputs_schema: { type: 'object' } },
        },
        adapters: [recorder.adapter],
      },
    );
  });
  after(() => home?.platform.stop());

  const send = async (path: string, text: string, key = home.platform.adminKey): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(home.platform.url + path, { method: 'POST', headers, body: text });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const run = (asked: string, key?: string): Promise<Answer> =>
    send('/orbisets/default/execute', `{"orb_id": "test.record@1.0.0", "inputs": ${inputsOf(asked)}}`, key);
  const dryRun = async (asked: string): Promise<Answer> => {
    const envelope = `{"context": {"inputs": ${inputsOf(asked)}}}`;
    return send('/dry-run', `{"action": "execute", "input": ${envelope}}`);
  };
  const codesOf = (reasons: readonly Reason[] = []): readonly string[] =>
    reasons.map(({ code, message = '' }) => (code === 'policy_denied' ? message : code)).sort();
  // In parts: on a slow machine the compiler needs longer for all of them than it may take for one request.
  const test = async (some: readonly Row[]): Promise<Tested> => {
    const parts: Tested[] = [];
    for (let at = 0; at < some.length; at += 50) {
      const part = some.slice(at, at + 50);
      const files = [policy, libraryOf(part.filter((row) => valued.includes(row))), testsOf(part)];
      parts.push((await home.platform.call('POST', '/policies/test', { files })).body as Tested);
    }
    return {
      tests: parts.flatMap(({ tests }) => tests),
      diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
    };
  };

  it('are compared over every builtin that the compiler takes, in at least 200 expressions', async () => {
    const started = createCompiler(compiler);
    const { builtins } = await ask<{ builtins: { name: string }[] }>(started, { op: 'info' });
    await started.stop();
    // The compiler writes these calls itself.
    const own = ['internal.print', 'internal.test_case'];
    const taken = builtins.map(({ name }) => name).filter((name) => !own.includes(name));
    expect(taken).to.include.members([...nativeBuiltins, ...packageBuiltins, ...ownBuiltinNames]);
    expect([...new Set(rows.map(({ builtin }) => builtin))].sort()).to.deep.equal(taken.sort());
    expect(rows.length).to.be.at.least(200);
    for (const { builtin, expression, line } of rows)
      if (/^[a-z]\w*(\.\w+)+$/.test(builtin) && !builtin.startsWith('internal.'))
        expect(expression, line).to.contain(`${builtin}(`);
  });

  it('agree on the value of each expression', async () => {
    const wanted = valued.map((row) => row.id).sort();
    for (const [asked, reasons] of [
      ['each', wanted],
      ['others', ['not_allowed']],
      ['none', ['not_allowed']],
      ['all', []],
    ] as const) {
      const { decision } = (await dryRun(asked)).body as { decision: Decision };
      const { status, body } = await run(asked);
      expect(codesOf(decision.reasons), `dry run: ${asked}`).to.deep.equal(reasons);
      expect(codesOf((body as Decision).reasons), `run: ${asked}`).to.deep.equal(reasons);
      expect([decision.allow, status]).to.deep.equal(asked === 'all' ? [true, 200] : [false, 403]);
    }
    const { tests, diagnostics } = await test(valued);
    const passed = tests.filter((one) => one.passed).map(({ name }) => name.slice('test_'.length));
    expect(tests, JSON.stringify(diagnostics.slice(0, 3))).to.have.length(2 * valued.length);
    expect(passed.sort()).to.deep.equal(wanted);
  });

  it('agree on what cannot be decided, and why', async () => {
    const { tests } = await test(failing);
    let key: string | undefined;
    for (const [at, row] of failing.entries()) {
      // The denied runs of one key that are recorded are limited.
      if (at % 10 === 0) key = await home.platform.key({ name: 'runs', scopes: ['orbs:execute'] });
      const code = row.value.slice(1);
      const { decision } = (await dryRun(row.id)).body as { decision: Decision };
      const { status, body } = await run(row.id, key);
      const { passed, message = '' } = tests.find(({ name }) => name === `test_${row.id}`) ?? expect.fail(row.line);
      expect([codesOf(decision.reasons), codesOf((body as Decision).reasons)], row.line).to.deep.equal([
        [code],
        [code],
      ]);
      expect([status, passed], row.line).to.deep.equal([code === 'policy_builtin_error' ? 403 : 503, false]);
      expect(message, row.line).to.match(new RegExp(`^${code}: `));
    }
  });

  it('agree on what is refused', async () => {
    const source = `${accepting}package orb.policies.a\n\n${refused.map(ofFailing).join('\n\n')}\n`;
    const files = [{ path: 'a.rego', source }];
    const dry = await send('/dry-run', JSON.stringify({ action: 'execute', input: {}, files }));
    const draft = await home.platform.call('PUT', '/policies/b', {
      source: source.replace('policies.a', 'policies.b'),
    });
    const { tests, diagnostics } = await test(refused);
    const codes = (found: readonly Diagnostic[]): readonly string[] => [...new Set(found.map(({ code }) => code))];
    for (const { status, body } of [dry, draft]) {
      expect(status).to.equal(422);
      const found = (body as { diagnostics: readonly Diagnostic[] }).diagnostics;
      expect([codes(found), found.length]).to.deep.equal([['rego_type_error'], refused.length]);
    }
    expect(tests).to.deep.equal([]);
    expect([codes(diagnostics), diagnostics.length]).to.deep.equal([['rego_type_error'], refused.length]);
  });
});
