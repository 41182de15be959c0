import { expect } from 'chai';
import type { Answer } from '../../helpers/platform.ts';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';
import { source, tests } from './no-secrets.ts';

describe('what helps to write a policy', () => {
  let home: PolicyHome;
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    home.platform.call(method, path, body);

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome();
  });
  after(() => home?.platform.stop());

  it('checks, formats and tests posted files', async () => {
    const files = [{ path: 'a.rego', source: 'package orb.policies.a\nallow if input.subject.mode == "live"\n' }];
    const checked = (await call('POST', '/policies/validate', { files })).body;
    expect(checked).to.deep.include({ valid: true, diagnostics: [] });
    expect(checked.entrypoints.execute).to.deep.equal({ cached: true, reads: ['subject.mode'] });
    const formatted = (await call('POST', '/policies/format', { files })).body;
    expect(formatted.files[0]).to.deep.equal({
      path: 'a.rego',
      source: 'package orb.policies.a\n\nallow if input.subject.mode == "live"\n',
      changed: true,
    });
    const failing = { path: 'a_test.rego', source: 'package a_test\n\ntest_x if {\n\tprint("why", 7)\n\tfalse\n}\n' };
    const { body } = await call('POST', '/policies/test', { files: [...files, failing] });
    expect(body.passed).to.equal(false);
    expect(body.tests[0]).to.deep.include({ name: 'test_x', passed: false, line: 3, output: 'why 7\n' });
    expect((await call('POST', '/policies/test', {})).body.passed).to.equal(true);
  });

  const upload = async (files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>): Promise<Answer> => {
    const form = new FormData();
    for (const [name, content] of Object.entries(files)) form.append('policy', new Blob([content]), name);
    const headers = { authorization: `Bearer ${home.platform.adminKey}` };
    const answer = await fetch(`${home.platform.url}/policies/validate`, { method: 'POST', headers, body: form });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };

  it('checks uploaded files, as curl -F policy=@my.rego sends them', async () => {
    const good = await upload({ 'no_secrets.rego': source, 'no_secrets_test.rego': tests });
    expect(good.status).to.equal(200);
    expect(good.body).to.deep.include({ valid: true, diagnostics: [] });
    expect(good.body.tests).to.have.length(1);
    const { body } = await upload({ 'my.rego': source.replace('contains(', 'contain(') });
    expect(body.valid).to.equal(false);
    expect(body.diagnostics[0]).to.include({ file: 'my.rego', line: 5, column: 2 });
    const found = async (name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> =>
      (await upload({ [name]: content })).body.diagnostics[0].code as string;
    expect(await found('my.rego', new Uint8Array([0xff]))).to.equal('not_utf8');
    expect(await found('my.txt', source)).to.equal('wrong_name');
    expect(await found('../my.rego', source)).to.equal('wrong_name');
    expect((await call('GET', '/policies/my')).status).to.equal(404);
  });

  it('tells what a policy prints, and what of it ran, to who asks for that alone', async () => {
    const files = [{ path: 'a.rego', source: 'package orb.policies.a\n\nallow if print("said")\n' }];
    const members = async (asked: object) =>
      Object.keys((await call('POST', '/dry-run', { action: 'execute', input: {}, files, ...asked })).body);
    for (const asked of [{}, { explain: 'off' }, { explain: 'reasons' }])
      expect(await members(asked), JSON.stringify(asked)).not.to.include.oneOf(['output', 'trace', 'coverage']);
    expect(await members({ coverage: true }))
      .to.include.members(['output', 'coverage'])
      .and.not.to.include('trace');
    const { body } = await call('POST', '/dry-run', { action: 'execute', input: {}, files, explain: 'full' });
    expect(body.output).to.equal('said\n');
    expect(body).to.have.property('trace');
    expect(body).not.to.have.property('coverage');
  });

  it('decides as a run would, and says so where the trace of the interpreter ends otherwise', async () => {
    const dryRun = async (expression: string) => {
      const source = `package orb.policies.a\n\nallow if {\n\tinput.context.inputs.run\n\t${expression}\n}\n`;
      const question = { action: 'execute', input: { context: { inputs: { run: true } } }, explain: 'full' };
      return (await call('POST', '/dry-run', { ...question, files: [{ path: 'a.rego', source }] })).body;
    };
    const [other, same] = [await dryRun('1.1 * 3 == 3.3'), await dryRun('1 + 1 == 2')];
    expect([other.decision.allow, same.decision.allow]).to.deep.equal([true, true]);
    expect(other.trace).to.match(/^# The OPA interpreter that wrote this trace decides differently/);
    expect(same.trace).not.to.contain('decides differently');
  });

  it('says whether such decisions are cached: not when a policy may read all', async () => {
    for (const [condition, cacheable] of [
      ['input.subject.mode == "live"', true],
      ['count(input) > 0', false],
    ] as const) {
      const files = [{ path: 'a.rego', source: `package orb.policies.a\n\nallow if ${condition}\n` }];
      const { body } = await call('POST', '/dry-run', { action: 'execute', input: {}, files });
      expect(body.cacheable, condition).to.equal(cacheable);
    }
  });

  it('publishes the schema of each envelope and the builtins', async () => {
    const { body } = await call('GET', '/policies/-/schemas/swap');
    expect(body.properties.context.properties.swap.required).to.include('to_health');
    const { body: capabilities } = await call('GET', '/policies/-/capabilities');
    expect(capabilities.builtins.own).to.include('semver.compare');
    expect(capabilities.builtins.native).not.to.include('http.send');
  });
});
