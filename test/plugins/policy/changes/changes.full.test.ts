import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../../helpers/platform.ts';
import { compilerOrSkip } from '../compiler.ts';
import { startPolicyHome, type PolicyHome } from '../home.ts';
import { inStore } from '../../../helpers/stored.ts';

const forbidding = (name: string, word = name): string => `package orb.policies.${name}

deny contains "no ${word}" if {
	input.action.name == "execute"
	input.context.inputs.text == "${word}"
}
`;

describe('changes of what is in force', () => {
  let home: PolicyHome;
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    home.platform.call(method, path, body);
  const said = async (text: string): Promise<number> => (await home.echo(undefined, { text })).status;
  const draft = (id: string, source: string): Promise<Answer> => call('PUT', `/policies/${id}`, { source });
  const status = async () => (await call('GET', '/policies/-/status')).body;

  describe('of one server', () => {
    before(async function () {
      compilerOrSkip(this);
      home = await startPolicyHome();
    });
    after(() => home?.platform.stop());

    it('that are asked for at once all stay: none is built on what was in force before another', async () => {
      await draft('one', forbidding('one'));
      await draft('two', forbidding('two'));
      await draft('three', forbidding('three'));
      const answers = await Promise.all([
        call('POST', '/policies/-/activate', { drafts: ['one'] }),
        call('POST', '/policies/-/activate', { drafts: ['two'] }),
        call('PUT', '/policies/execute_by_scope/mode', { mode: 'enforce' }),
        call('POST', '/policies/-/activate', { drafts: ['three'] }),
      ]);
      expect(answers.map((answer) => answer.status)).to.deep.equal([200, 200, 200, 200]);
      expect([await said('one'), await said('two'), await said('three'), await said('four')]).to.deep.equal([
        ...[403, 403, 403, 200],
      ]);
      expect((await call('GET', '/policies/execute_by_scope')).body.source).to.contain('mode: enforce');
    });

    it('never take away a file that was dropped meanwhile', async function () {
      await draft('meanwhile', forbidding('meanwhile'));
      this.timeout(60_000);
      for (let round = 0; round < 3; round += 1) {
        const activated = call('POST', '/policies/-/activate', { drafts: ['meanwhile'] });
        await new Promise((resolve) => setTimeout(resolve, round * 80));
        home.write('dropped.rego', forbidding('dropped', `dropped${round}`));
        const { status: code, body } = await activated;
        expect([200, 412], JSON.stringify(body)).to.include(code);
        for (let tries = 0; (await said(`dropped${round}`)) !== 403; tries += 1) {
          expect(tries).to.be.below(300);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        await draft('meanwhile', forbidding('meanwhile', `meanwhile${round}`));
      }
      expect(readFileSync(join(home.folder, 'dropped.rego'), 'utf8')).to.equal(forbidding('dropped', 'dropped2'));
    });

    it('take up a draft that says what is in force already', async () => {
      const source = readFileSync(join(home.folder, 'execute_by_scope.rego'), 'utf8');
      await draft('execute_by_scope', source);
      expect((await call('POST', '/policies/-/activate', {})).status).to.equal(200);
      expect((await call('GET', '/policies/execute_by_scope')).body.draft).to.equal(false);
    });

    it('know a folder with a file that is not served for another one, and take its place when told to', async () => {
      await draft('taken', forbidding('taken'));
      home.write('bytes.rego', Uint8Array.of(0xff, 0xfe));
      await home.until('not served', ({ health }) => health !== 'operational');
      const refused = await call('POST', '/policies/-/activate', {});
      expect([refused.status, refused.body.code]).to.deep.equal([412, 'precondition_failed']);
      expect((await call('POST', '/policies/-/activate', { overwrite: true })).status).to.equal(200);
      expect(existsSync(join(home.folder, 'bytes.rego'))).to.equal(false);
      expect(await said('taken')).to.equal(403);
    });

    it('do not drop a draft that was written again meanwhile', async () => {
      await draft('written', forbidding('written'));
      await Promise.all([call('POST', '/policies/-/activate', {}), draft('written', forbidding('written', 'again'))]);
      const { body } = await call('GET', '/policies/written');
      expect(
        body.source === forbidding('written', 'again') || body.waiting?.source === forbidding('written', 'again'),
      ).to.equal(true);
    });
  });

  describe('at a start, after a death between the store and the folder', () => {
    beforeEach(async function () {
      compilerOrSkip(this);
      home = await startPolicyHome();
    });
    afterEach(() => home?.platform.stop());
    let revision: string;
    // What a SIGKILL leaves behind there: the revision is pending, the folder is the old one, the draft still waits.
    const die = async (tests?: string): Promise<void> => {
      await call('PUT', '/policies/one', { source: forbidding('one'), ...(tests === undefined ? {} : { tests }) });
      revision = (await call('POST', '/policies/-/activate', {})).body.revision as string;
      await home.platform.stop({ keep: true });
      const { home: folder } = home.platform;
      const last = 'SELECT MAX(number) FROM policy_activations';
      await inStore(folder, `UPDATE policy_activations SET pending = 1 WHERE number = (${last})`);
      await inStore(
        ...[folder, 'INSERT INTO policy_drafts VALUES (?, ?, ?, NULL, ?, ?)', 'one', forbidding('one'), tests ?? null],
        ...['2026-01-01T00:00:00.000Z', 'prn_1'],
      );
      rmSync(join(home.folder, 'one.rego'));
      rmSync(join(home.folder, 'one_test.rego'), { force: true });
    };
    const passing = 'package orb.policies.one_test\n\ntest_one if true\n';

    it('the folder is written at the start, the revision serves, and the draft it took up is gone', async () => {
      await die();
      home = await startPolicyHome({}, { home: home.platform.home });
      expect(await status()).to.include({ revision, health: 'operational', policies: 4 });
      expect(readFileSync(join(home.folder, 'one.rego'), 'utf8')).to.equal(forbidding('one'));
      expect(await said('one')).to.equal(403);
      expect((await call('GET', '/policies/one')).body).to.include({ active: true, draft: false });
    });

    it('the tests of a draft are written with it, and it is gone', async () => {
      await die(passing);
      home = await startPolicyHome({}, { home: home.platform.home });
      expect(readFileSync(join(home.folder, 'one_test.rego'), 'utf8')).to.equal(passing);
      expect((await call('GET', '/policies/one')).body).to.include({ active: true, draft: false });
    });

    it('a draft that the revision holds in part alone still waits', async () => {
      await die();
      await inStore(home.platform.home, 'UPDATE policy_drafts SET tests = ?', passing);
      home = await startPolicyHome({}, { home: home.platform.home });
      const { body } = await call('GET', '/policies/one');
      expect([body.active, body.waiting?.tests]).to.deep.equal([true, passing]);
    });

    it('a folder in whose way something stands is the truth, and no start fails of it', async () => {
      await die();
      mkdirSync(join(home.folder, 'one.rego'));
      home = await startPolicyHome({}, { home: home.platform.home });
      expect(await status()).to.include({ health: 'operational', policies: 3 });
      expect((await call('GET', '/policies/one')).body).to.include({ active: false, draft: true });
    });

    it('a folder that takes no writes any more stays the truth', async () => {
      await die();
      rmSync(home.folder, { recursive: true });
      symlinkSync(join(home.platform.home, 'nowhere', 'at', 'all'), home.folder);
      home = { ...home, platform: (await startPolicyHome({}, { home: home.platform.home })).platform };
      expect(await status()).to.include({ health: 'operational', policies: 3 });
      expect((await call('GET', '/policies/-/revisions')).body.revisions).to.have.length(1);
      expect((await call('GET', '/policies/one')).body).to.include({ active: false, draft: true });
    });

    it('a stored revision whose Wasm is not what was stored is compiled again', async () => {
      home.write('one.rego', forbidding('one'));
      await home.until('in force', ({ policies }) => policies === 4);
      const { revision } = await status();
      await home.platform.stop({ keep: true });
      const folder = home.platform.home;
      const [other] = await inStore(folder, 'SELECT wasm FROM policy_revisions WHERE digest != ?', revision);
      const allowing = other?.['wasm'] ?? null;
      expect(allowing).to.be.instanceOf(Buffer);
      await inStore(folder, 'UPDATE policy_revisions SET wasm = ? WHERE digest = ?', allowing, revision);
      home = await startPolicyHome({}, { home: home.platform.home });
      expect(await status()).to.include({ revision, health: 'operational' });
      expect(await said('one')).to.equal(403);
      expect(existsSync(join(home.folder, 'one.rego'))).to.equal(true);
    });
  });
});
