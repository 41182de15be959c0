import { expect } from 'chai';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedFolder } from '../../../plugins/policy/shipped.ts';
import { smokeInputs } from '../../../plugins/policy/toolchain/sample-questions.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { compilerOrSkip } from './compiler.ts';

describe('orb policy', () => {
  let served: Served;
  const mine = (): string => join(served.home, 'mine');
  before(async function () {
    compilerOrSkip(this);
    const groups = { office: ['prn_01M8FAMKDW8EACJ6XYYH95MPC3', 'prn_01M8FAMM1Q2G38RASKEJSD4XFB'] };
    served = createServed({ plugins: { approvals: { config: { groups } } } });
    cpSync(shippedFolder, join(served.home, 'policies'), { recursive: true });
    mkdirSync(mine());
    await served.start();
  });
  after(() => served?.remove());

  it('check names file:line:column with a caret and ends with 1; a good folder ends with 0', () => {
    writeFileSync(join(mine(), 'a.rego'), 'package orb.policies.a\n\nallow if input.subjekt.id\n');
    const bad = served.orb('policy', 'check', 'mine');
    expect(bad.status, bad.stderr).to.equal(1);
    expect(bad.stdout).to.match(
      /^a\.rego:3:10: error: undefined ref: input\.subjekt\.id \(rego_type_error\)\n {2}allow if input/,
    );
    expect(bad.stdout).to.match(/\n {9}\^/);
    expect(served.orb('policy', 'check').status).to.equal(0);
  });

  it('test runs the tests of a folder; fmt names and mends what is not formatted', () => {
    expect(served.orb('policy', 'test').stdout).to.match(/(\d+) of \1 passed/);
    writeFileSync(join(mine(), 'a.rego'), 'package orb.policies.a\nallow if input.subject.id\n');
    expect(served.orb('policy', 'fmt', 'mine')).to.include({ status: 1, stdout: 'a.rego\n' });
    expect(served.orb('policy', 'fmt', 'mine', '--write').status).to.equal(0);
    expect(served.orb('policy', 'fmt', 'mine').status).to.equal(0);
  });

  it('dry-run says what would be decided and why: 0 allowed, 1 denied', () => {
    const [input, denied] = smokeInputs.execute.map((one, index) => {
      writeFileSync(join(served.home, `input${index}.json`), JSON.stringify(one));
      return `input${index}.json`;
    });
    const allowed = served.orb('policy', 'dry-run', 'execute', input ?? '');
    expect(allowed.stdout).to.match(/^ALLOWED by execute_by_scope/);
    expect(allowed.status).to.equal(0);
    const no = served.orb('policy', 'dry-run', 'execute', denied ?? '', '--explain');
    expect(no.stdout).to.match(/^DENIED\n {2}not_allowed/);
    expect(no.status).to.equal(1);
    const traced = [allowed, no].map(({ stdout }) => /^query:\d+/m.test(stdout));
    expect(traced, 'only what is explained shows the trace').to.deep.equal([false, true]);
  });

  it('dry-run says who must approve, and check names file:line:column of a faulty ask', () => {
    const ask = (group: string): string =>
      `ask contains {"code": "big", "message": "a big one", "approvers": "${group}", "of": 2}`;
    const write = (group: string): void =>
      writeFileSync(join(mine(), 'a.rego'), `package orb.execute\n\nallow := true\n\n${ask(group)}\n`);
    write('office');
    const asked = served.orb('policy', 'dry-run', 'execute', 'input0.json', '--files', 'mine');
    expect(asked.stdout).to.match(/^NEEDS APPROVAL by 2 of office\n {2}big a a big one\n/);
    expect(asked.status).to.equal(1);
    write('nobody');
    const faulty = served.orb('policy', 'check', 'mine');
    expect(faulty.stdout).to.match(/^a\.rego:5:67: error: there is no group nobody in .*\(wrong_ask\)/);
    expect(faulty.status).to.equal(1);
  });

  it('diff compares the active revision with the drafts; rollback without a past says so', () => {
    expect(served.orb('policy', 'diff').stdout).to.equal('no differences\n');
    expect(served.orb('policy', 'rollback').status).not.to.equal(0);
    expect(served.orb('policy', 'activate').stderr).to.contain('no draft');
  });
});
