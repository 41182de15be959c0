import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDir, readConfig } from '../../../kernel/config/config.ts';

describe('the configuration on the command line', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-config-'));
    mkdirSync(join(home, 'data'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const write = (name: string, content: object): void => writeFileSync(join(home, name), JSON.stringify(content));
  const orb = (...args: string[]) =>
    spawnSync(process.execPath, [shippedProgram, ...args], {
      cwd: home,
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    });

  it('config check tells what is there and exits 0', () => {
    const { status, stdout } = orb('config', 'check', '--json');
    expect(status).to.equal(0);
    expect((JSON.parse(stdout) as { orbs: string[] }).orbs).to.include('notify.email@1.0.0');
    expect(existsSync(join(home, 'data/state'))).to.equal(false);
  });

  it('config check passes over a store that cannot be read: doctor tells of it', () => {
    mkdirSync(join(home, 'data/state'));
    writeFileSync(join(home, 'data/state/store.db'), 'no database');
    expect(orb('config', 'check').status).to.equal(0);
  });

  it('config check and serve tell all faults and exit 78', () => {
    write('data/platform.json', { colour: 'red', providers: { a: { adapter: 'x/y' } } });
    for (const command of [['config', 'check'], ['serve']]) {
      const { status, stderr } = orb(...command);
      expect(status).to.equal(78);
      expect(stderr)
        .to.include('platform.json/colour')
        .and.include('providers.a/adapter')
        .and.not.match(/\n {4}at /);
    }
  });

  it('config check and serve refuse a TLS pair that does not parse or fit, before they make keys', () => {
    const pem = (name: string): string => join(packageDir, `test/helpers/tls/test-only.${name}.pem`);
    const [cert, key] = [{ $file: pem('cert') }, { $file: pem('key') }];
    const faultsOf = (tls: object): readonly string[] => {
      write('data/platform.json', { listen: [{ address: '127.0.0.1:0', tls }] });
      const faults: string[] = [];
      readConfig({}, home, faults);
      return faults;
    };
    expect(faultsOf({ cert, key })).to.deep.equal([]);
    for (const tls of [
      { cert: key, key },
      { cert: { $file: join(packageDir, 'LICENSE') }, key },
      { cert, key: cert },
    ])
      expect(faultsOf(tls).join()).to.match(/listen\/0\/tls: cert and key must be a PEM pair/);
    expect([orb('config', 'check').status, orb('serve').status]).to.deep.equal([78, 78]);
    expect(existsSync(join(home, 'data/state/master.key'))).to.equal(false);
  });

  it('a wrong call exits 64, an unreachable server 69', () => {
    expect(orb('no-such-command').status).to.equal(64);
    const env = { PATH: process.env['PATH'], ORB_URL: 'http://127.0.0.1:1', ORB_KEY: 'x' };
    expect(() =>
      execFileSync(process.execPath, [shippedProgram, 'orbs', 'list'], {
        cwd: home,
        env,
        stdio: 'pipe',
      }),
    )
      .to.throw()
      .with.property('status', 69);
  });
});
