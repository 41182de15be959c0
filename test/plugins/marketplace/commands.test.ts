import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServed, type Served } from '../../helpers/served.ts';
import { writeOrb } from './orbs.ts';

describe('the commands of the marketplace', function () {
  this.timeout(120_000);
  let served: Served;
  const run = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = served.orb(...args);
    expect(status, `orb ${args.join(' ')}: ${stderr}`).to.equal(0);
    return stdout;
  };
  const json = (...args: readonly string[]) => JSON.parse(run(...args, '--json')) as Readonly<Record<string, unknown>>;
  const keyFile = (): string => join(served.home, 'keys/notify.key');

  before(async () => {
    served = createServed();
    writeOrb(served.home, 'demo.extra@1.0.0');
    await served.start();
  });
  after(() => served.remove());

  it('list the namespaces of the shipped Orbs', () => {
    expect(run('namespaces', 'list')).to.match(/^notify +granted +default +prn_\S+ +-$/m);
  });

  it('sign a manifest with a key that is made, private, when it is absent', () => {
    const signed = json('orbs', 'sign', 'notify.email@1.0.0', '--key', keyFile());
    expect(statSync(keyFile()).mode & 0o777).to.equal(0o600);
    expect(signed['manifest_digest']).to.match(/^sha256:[0-9a-f]{64}$/);
    const file = join(served.home, 'data/orbs/notify.email@1.0.0.sig');
    expect(signed['file']).to.equal(file);
    const envelope = JSON.parse(readFileSync(file, 'utf8')) as { payloadType: string };
    expect(envelope.payloadType).to.equal('application/vnd.agent-orb.manifest+json');
    const key = readFileSync(keyFile(), 'utf8');
    expect(json('orbs', 'sign', 'notify.email@1.0.0', '--key', keyFile())).to.deep.equal(signed);
    expect(readFileSync(keyFile(), 'utf8')).to.equal(key);
  });

  it('refuse to sign what is no Orb, or with what is no key, and write nothing', () => {
    for (const args of [['../../x', '--key', keyFile()], ['no.such@1.0.0', '--key', keyFile()], ['notify.email@1.0.0']])
      expect(served.orb('orbs', 'sign', ...args).status).to.equal(64);
    const odd = join(served.home, 'odd.key');
    writeFileSync(odd, 'not a key');
    expect(served.orb('orbs', 'sign', 'demo.echo@1.0.0', '--key', odd).status).to.equal(1);
    expect(existsSync(join(served.home, 'data/orbs/demo.echo@1.0.0.sig'))).to.equal(false);
  });

  it('grant the key, publish, and find the manifest signed', () => {
    const { manifest_key: key } = json('orbs', 'sign', 'notify.email@1.0.0', '--key', keyFile());
    const dry = json('marketplace', 'publish', 'notify.email@1.0.0', '--dry-run');
    expect(dry['publisher']).to.deep.equal({ namespace: 'notify', manifest_signed: false });
    expect(run('namespaces', 'grant', 'notify', '--manifest-key', (key as { x: string }).x)).to.include('manifest key');
    const published = json('marketplace', 'publish', 'notify.email@1.0.0', '--tag', 'email', '--tag', 'smtp');
    expect(published['publisher']).to.deep.equal({ namespace: 'notify', manifest_signed: true });
    expect(published['tags']).to.deep.equal(['email', 'smtp']);
  });

  it('change nothing in a dry run, and say so', () => {
    const said = 'Nothing was changed.';
    const extra = ['marketplace', 'publish', 'demo.extra@1.0.0', '--title', 'Extra'];
    const { status, stderr } = served.orb(...extra, '--dry-run');
    expect([status, stderr.includes(said)]).to.deep.equal([0, true]);
    expect(run('marketplace', 'list', '--q', 'extra')).not.to.include('demo.extra');
    expect(served.orb(...extra).stderr).not.to.include(said);
    expect(run('marketplace', 'list', '--q', 'extra')).to.include('demo.extra');
  });

  it('publish a README, deprecate, take it back, yank', () => {
    const readme = join(served.home, 'README.md');
    writeFileSync(readme, '# Extra\n');
    run('marketplace', 'publish', 'demo.extra@1.0.0', '--readme', readme, '--title', 'Extra');
    expect(run('marketplace', 'list', '--q', 'extra')).to.match(/^demo\.extra@1\.0\.0 +none +- +active +What/m);
    run('marketplace', 'deprecate', 'demo.extra@1.0.0', '--reason', 'Old.', '--replacement', 'demo.echo@1.0.0');
    expect(run('marketplace', 'list', '--namespace', 'demo')).to.include('deprecated');
    expect(run('marketplace', 'deprecate', 'demo.extra@1.0.0', '--undo', '--reason', 'No.')).to.include('is active');
    expect(run('marketplace', 'yank', 'demo.extra@1.0.0', '--reason', 'Broken.', '--yes')).to.include('is yanked');
    expect(run('marketplace', 'list', '--namespace', 'demo')).not.to.include('demo.extra');
  });

  it('show what the server refuses', () => {
    const { status, stderr } = served.orb('marketplace', 'publish', 'http.fetch@1.0.0');
    expect(status).to.equal(1);
    expect(stderr).to.include('listing_invalid');
    expect(run('namespaces', 'revoke', 'http', '--reason', 'Test.')).to.include('http is revoked');
  });
});
