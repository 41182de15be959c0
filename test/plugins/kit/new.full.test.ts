import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { packageDir } from '../../helpers/folder.ts';
import { sampleOf } from '../../../plugins/kit/scaffold/provider.ts';
import { createOrb } from '../../../plugins/runtime/catalog/orb.ts';
import { guideBlocks } from '../../helpers/guide.ts';
import { runInThread } from '../../helpers/in-thread.ts';

const program = shippedProgram;

describe('orb new', function () {
  this.timeout(60_000);
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-new-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const orb = (...args: readonly string[]) => runInThread(home, { args, env: {} });
  const files = (): string[] =>
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
      .sort();

  for (const [folder, made, ...words] of [
    ['provider', 'ext/email-acme', 'provider', 'email/acme'],
    ['plugin', 'ext/tally', 'plugin', 'tally'],
    ['plugin-store', 'ext/tally', 'plugin', 'tally', '--store'],
    ['orb', 'data/orbs', 'orb', 'weather.today'],
    ['policy', 'policies', 'policy', 'quiet_address'],
  ] as const)
    it(`${words.join(' ')}: makes the example of the kit`, () => {
      orb('new', ...words);
      const examples = join(packageDir, 'plugins/kit/examples', folder);
      for (const name of readdirSync(examples))
        expect(readFileSync(join(home, made, name), 'utf8')).to.equal(readFileSync(join(examples, name), 'utf8'));
    });

  for (const [kind, name, tests, ...options] of [
    ['provider', 'email/acme', 5],
    ['provider', 'weather/acme', 5],
    ['plugin', 'tally', 1],
    ['plugin', 'my-tally', 2, '--store'],
    ['orb', 'weather.today', 4],
  ] as const)
    it(`${[kind, name, ...options].join(' ')}: makes files that pass their own tests where nothing is installed`, () => {
      const { status, stderr } = orb('new', kind, name, ...options);
      expect(status, stderr).to.equal(0);
      const tested = spawnSync(process.execPath, ['--test'], { cwd: home, env: {}, encoding: 'utf8' });
      expect(tested.stdout)
        .to.match(new RegExp(`pass ${tests}\\b`))
        .and.match(/fail 0\b/);
      expect(tested.status).to.equal(0);
    });

  it('prints a command for the test that works in the shell it is typed into, whatever Node that has', () => {
    // npm and npx put the pinned runtime first.
    const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
    const env = { PATH: [join(packageDir, 'node_modules/.bin'), ...folders].join(delimiter) };
    for (const [kind, name] of [
      ['provider', 'email/acme'],
      ['plugin', 'tally'],
    ] as const) {
      const words = [program, 'new', kind, name];
      const { stdout } = spawnSync(process.execPath, words, { cwd: home, env, encoding: 'utf8' });
      const command = /^Next:\n(.*)$/m.exec(stdout)?.[1] ?? '';
      const shell = { cwd: home, env: { PATH: folders.join(delimiter) }, encoding: 'utf8' } as const;
      const tested = spawnSync('bash', ['-c', command], shell);
      expect([tested.status, command], tested.stdout + tested.stderr).to.deep.equal([0, command]);
      expect(command).to.match(/ --test ext\/\S+\.test\.ts$/);
    }
  });

  it('prints members of platform.json that a check of the configuration accepts', () => {
    const made = ['provider', 'plugin'].map((kind) => {
      const { stdout } = orb('new', kind, kind === 'plugin' ? 'tally' : 'email/acme', '--json');
      return (JSON.parse(stdout) as { platform: object }).platform;
    });
    mkdirSync(join(home, 'data'));
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify(Object.assign({}, ...made)));
    const env = { ACME_TOKEN: 'x' };
    const checked = spawnSync(process.execPath, [program, 'config', 'check'], { cwd: home, env, encoding: 'utf8' });
    expect(checked.status, checked.stderr).to.equal(0);
  });

  for (const [made, serves, ...named] of [
    ['weather-acme', 'weather/acme for weather.today@1.0.0', 'weather/acme'],
    ['sms-acme', 'sms/acme for notify.sms@1.0.0', 'acme', '--capability', 'sms'],
  ] as const)
    it(`makes an adapter for ${serves.slice(-20)} that then passes orb provider verify`, () => {
      orb('new', 'orb', 'weather.today');
      orb('new', 'provider', ...named);
      const env = { ACME_TOKEN: 'a-made-up-token' };
      const words = [program, 'provider', 'verify', `ext/${made}`];
      const verified = spawnSync(process.execPath, words, { cwd: home, env, encoding: 'utf8' });
      expect(verified.stdout).to.include(`${serves}: CONFORMS`);
      expect(verified.status).to.equal(0);
    });

  it('makes an adapter before there is an Orb, which hands on whatever was answered', () => {
    orb('new', 'provider', 'weather/acme');
    const text = readFileSync(join(home, 'ext/weather-acme/index.ts'), 'utf8');
    expect(text).to.include('const outputs: readonly string[] = [];');
  });

  it('policy: copies the shipped policies when the home has none, and only then', () => {
    orb('new', 'policy', 'quiet');
    const shipped = readdirSync(join(packageDir, 'policies'));
    expect(readdirSync(join(home, 'policies')).sort()).to.deep.equal(
      [...shipped, 'quiet.rego', 'quiet_test.rego'].sort(),
    );
    rmSync(join(home, 'policies'), { recursive: true });
    mkdirSync(join(home, 'policies'));
    orb('new', 'policy', 'quiet');
    expect(files()).to.deep.equal(['policies/quiet.rego', 'policies/quiet_test.rego']);
  });

  it('takes ORB_HOME, and --dir before it', () => {
    const env = { ORB_HOME: join(home, 'a') };
    spawnSync(process.execPath, [program, 'new', 'plugin', 'one'], { cwd: home, env });
    spawnSync(process.execPath, [program, 'new', 'plugin', 'two', '--dir', 'b'], { cwd: home, env });
    expect(existsSync(join(home, 'a/ext/one/index.ts'))).to.equal(true);
    expect(existsSync(join(home, 'b/ext/two/index.ts'))).to.equal(true);
  });

  it('overwrites nothing', () => {
    orb('new', 'plugin', 'tally');
    const path = join(home, 'ext/tally/index.ts');
    writeFileSync(path, 'mine');
    rmSync(join(home, 'ext/tally/index.test.ts'));
    const { status, stderr } = orb('new', 'plugin', 'tally');
    expect([status, stderr]).to.deep.equal([1, stderr]);
    expect(stderr).to.include('ext/tally/index.ts');
    expect(readFileSync(path, 'utf8')).to.equal('mine');
    expect(existsSync(join(home, 'ext/tally/index.test.ts'))).to.equal(false);
  });

  for (const [kind, name] of [
    ['provider', 'acme'],
    ['provider', '../x/y'],
    ['plugin', '../x'],
    ['provider', 'email/acme-'],
    ['provider', 'email-/acme'],
    ['plugin', 'A'],
    ['plugin', 'tally-'],
    ['orb', 'weather'],
    ['orb', 'weather-.today'],
    ['orb', 'weather.today@01.0.0'],
    ['orb', '../x.y'],
    ['policy', 'x_test'],
    ['policy', 'test'],
    ['policy', 'validate'],
    ['policy', '../x'],
  ] as const)
    it(`${kind} ${name}: is refused, with an example, and nothing is written`, () => {
      const { status, stderr } = orb('new', kind, name);
      expect(status).to.equal(1);
      expect(stderr).to.match(/write it like/);
      expect(files()).to.deep.equal([]);
    });

  it('gives types and compiler settings that hold the code of the scaffolds and of the guide', () => {
    orb('new', 'provider', 'email/acme');
    // Before there is an Orb of its capability.
    orb('new', 'provider', 'weather/acme');
    orb('new', 'plugin', 'tally');
    orb('new', 'plugin', 'visits', '--store');
    const inGuide = guideBlocks('plugins/docs/pages/extend.md').filter(
      ({ code }) => code.startsWith('// ext/') && /^\/\/ \S+\.ts\n/.test(code),
    );
    expect(inGuide).to.have.length(2);
    for (const { code } of inGuide) {
      const [, path = ''] = /^\/\/ (\S+)\n/.exec(code) ?? [];
      writeFileSync(join(home, path.replace('index', 'guide')), code.replace("'./index.ts'", "'./guide.ts'"));
    }
    const compiler = join(packageDir, 'node_modules/@typescript/native/bin/tsc');
    const types = ['--typeRoots', join(packageDir, 'node_modules/@types')];
    for (const folder of ['ext/email-acme', 'ext/weather-acme', 'ext/tally', 'ext/visits']) {
      const words = [compiler, '-p', join(home, folder), ...types, '--listFilesOnly'];
      expect(spawnSync(process.execPath, words, { encoding: 'utf8' }).stdout).to.include(join(folder, 'index.test.ts'));
      const { status, stdout } = spawnSync(process.execPath, words.slice(0, -1), { encoding: 'utf8' });
      expect([status, stdout], folder).to.deep.equal([0, '']);
    }
  });

  it('samples inputs and outputs that fit the Orbs that ship', () => {
    for (const name of readdirSync(join(packageDir, 'data/orbs')).filter((file) => file.endsWith('.json'))) {
      const made = createOrb(JSON.parse(readFileSync(join(packageDir, 'data/orbs', name), 'utf8')), []);
      for (const side of ['inputs', 'outputs'] as const)
        expect(made?.[side].validate(sampleOf(made.manifest[`${side}_schema`])), name).to.deep.equal([]);
    }
  });
});
