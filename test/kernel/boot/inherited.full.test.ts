import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { leaveOutBecause } from '../../helpers/needs.ts';
import { copyProgram, type ProgramCopy } from '../../helpers/program-copy.ts';

const echo = 'data/orbs/demo.echo@1.0.0.json';
const local = 'data/orbs/local.echo@1.0.0.json';

describe('what a home takes from the folder of the program', function () {
  this.timeout(60_000);
  let copy: ProgramCopy;
  before(() => void (copy = copyProgram()));
  beforeEach(() => copy.reset());
  after(() => copy.remove());

  const check = (cwd?: string) => copy.orb(['config', 'check', '--json'], cwd);
  const orbsOf = (text: string): readonly string[] => (JSON.parse(text) as { orbs: string[] }).orbs;
  const manifest = (orb_id: string): string =>
    JSON.stringify({ ...(JSON.parse(readFileSync(join(copy.folder, echo), 'utf8')) as object), orb_id });

  it('is what ships: files of the operator there are named once, and not used', () => {
    copy.write('data/platform.json', JSON.stringify({ providers: { mine: { adapter: 'echo/local' } } }));
    copy.write(local, manifest('local.echo@1.0.0'));
    copy.write('policies/local.rego', 'package orb.policies.local\n');
    const { status, text } = check();
    expect(status, text).to.equal(0);
    const { orbs, providers, warnings } = JSON.parse(text) as Record<'orbs' | 'providers' | 'warnings', unknown[]>;
    expect(orbs).to.include('demo.echo@1.0.0').and.not.include('local.echo@1.0.0');
    expect(providers).to.deep.equal([
      { name: 'outbox', adapter: 'email/outbox' },
      { name: 'echo', adapter: 'echo/local' },
    ]);
    expect(warnings).to.have.length(1);
    expect(warnings?.[0]).to.include(
      `${local}, data/platform.json, policies/local.rego in the program's folder ${copy.folder}`,
    );
  });

  it('stops the start when a file of it was changed or is missing, and names the file', () => {
    copy.write(echo, `${readFileSync(join(copy.folder, echo), 'utf8')} `);
    rmSync(join(copy.folder, 'policies/swap_healthy.rego'));
    const { status, text } = check();
    expect(status).to.equal(78);
    expect(text)
      .to.include(
        `${echo}: the file in the program's folder is not the shipped one; copy it into the home, or restore it`,
      )
      .and.include("policies/swap_healthy.rego: is missing in the program's folder");
  });

  it('is nothing of what the home has itself', () => {
    copy.write(echo, `${readFileSync(join(copy.folder, echo), 'utf8')} `);
    mkdirSync(join(copy.home, 'data/orbs'), { recursive: true });
    cpSync(join(copy.folder, echo), join(copy.home, echo));
    rmSync(join(copy.folder, 'policies/swap_healthy.rego'));
    mkdirSync(join(copy.home, 'policies'));
    const { status, text } = check();
    expect([status, (JSON.parse(text) as { warnings: unknown }).warnings], text).to.deep.equal([0, []]);
  });

  it('is all that is there when the folder of the program is the home', () => {
    copy.write('data/platform.json', JSON.stringify({ providers: { mine: { adapter: 'echo/local' } } }));
    copy.write(local, manifest('local.echo@1.0.0'));
    rmSync(join(copy.folder, echo));
    const { status, text } = check(copy.folder);
    expect(status, text).to.equal(0);
    expect(orbsOf(text)).to.include('local.echo@1.0.0').and.not.include('demo.echo@1.0.0');
    expect(JSON.parse(text)).to.deep.include({ providers: [{ name: 'mine', adapter: 'echo/local' }], warnings: [] });
  });

  it('is the shipped policies alone, for orb policy and orb new', () => {
    copy.write('policies/local.rego', 'package orb.policies.local\n');
    expect(copy.orb(['new', 'policy', 'quiet']).status).to.equal(0);
    const names = copy.orb(['new', 'policy', 'quiet']).text;
    expect(names).to.include('policies/quiet.rego').and.not.include('local');
    expect(() => readFileSync(join(copy.home, 'policies/local.rego'))).to.throw();
    expect(readFileSync(join(copy.home, 'policies/swap_healthy.rego'), 'utf8')).to.include('package');
  });

  it('is what npm run build:binary packs: it names a file that does not ship, before it builds anything', function () {
    // The executable is built nowhere else.
    if (process.platform !== 'linux' || process.arch !== 'x64')
      leaveOutBecause(this, 'executables are built on linux-x64');
    copy.write('data/platform.json', '{}');
    const words = [join(copy.folder, 'plugins/kit/binary/build.ts')];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect([status, stderr]).to.deep.equal([
      1,
      'build:binary: data/platform.json does not ship (move it out of the checkout); or build with --with-local-files, which puts the files as they are into it\n',
    ]);
  });
});
