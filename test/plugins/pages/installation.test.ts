import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { builtin, shippedProblems } from '../../helpers/shipped.ts';
import { explain } from '../../../plugins/pages/site/problem-explanations.ts';
import { shippedCommands } from '../../../kernel/main.ts';
import { send } from '../../helpers/http.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the page of each problem', () => {
  const routesOf = (text: string): readonly string[] =>
    [...text.matchAll(/GET (\/[\w/{}-]*)/g)].map(([, path = '']) => path);

  it('says in its own words why it arises and what to do, for every code that ships', async () => {
    const platform = await startPlatform();
    try {
      const paths = platform.kernel.routes.map(({ path }) => path);
      const commands = [...shippedCommands(), ...builtin.plugins.flatMap((plugin) => plugin.commands)].map(
        ({ path }) => path,
      );
      const causes = [...shippedProblems.values()].map((type) => explain(type).cause);
      expect(new Set(causes).size).to.equal(shippedProblems.size);
      for (const type of shippedProblems.values()) {
        const { cause, remedy } = explain({ ...type, title: 'unexplained' });
        expect(`${cause} ${remedy}`, type.code)
          .to.match(/^[A-Z].*\.$/)
          .and.not.match(/unexplained|`/);
        for (const path of routesOf(`${cause} ${remedy}`)) expect(paths, type.code).to.include(path);
        for (const [, words = ''] of `${cause} ${remedy}`.matchAll(/\borb ([a-z].*)/g))
          expect(
            commands.some((name) => words.startsWith(name)),
            words,
          ).to.equal(true);
      }
    } finally {
      await platform.stop();
    }
  });

  it('has a sentence for a problem of a plugin that gives none', () => {
    const type = { code: 'odd', status: 400, title: 'It is odd', retryable: true };
    expect(explain(type)).to.deep.equal({ cause: 'It is odd.', remedy: 'Wait, then send the same request again.' });
  });
});

describe('what an operator sets for all pages', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  let home: string;
  let platform: TestPlatform | undefined;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'orb-'))));
  afterEach(async () => {
    await platform?.stop();
    platform = undefined;
    rmSync(home, { recursive: true, force: true });
  });
  const start = (site: object) => startPlatform({ home, platform: { site } });

  it('is shown on each of them: name, accent and logo, as text and as a picture that does nothing', async () => {
    writeFileSync(join(home, 'logo.svg'), svg);
    platform = await start({ name: 'Acme <b>Orbs</b>', accent: '#ffe000', logo: 'logo.svg' });
    for (const path of ['/', '/marketplace', '/status.html', '/docs', '/verify']) {
      const { text, headers } = await send(platform.url, path, { headers: { accept: browser } });
      expect(text, path).to.include('Acme &#60;b&#62;Orbs&#60;/b&#62;</span>');
      expect(text, path).to.include('--accent:rgb(');
      expect(headers.get('content-security-policy')?.match(/style-src 'sha256-\S+' 'sha256-\S+';/), path).not.to.equal(
        null,
      );
    }
    const logo = await send(platform.url, '/logo');
    expect(logo.text).to.equal(svg);
    expect(logo.headers.get('content-type')).to.equal('image/svg+xml');
    expect(logo.headers.get('content-security-policy')).to.match(/^default-src 'none';.* sandbox$/);
  });

  it('is a logo of the type that its first bytes say, whatever its name is', async () => {
    // The signature of PNG (ISO/IEC 15948 §5.2).
    writeFileSync(join(home, 'logo.svg'), Buffer.from('89504e470d0a1a0a00', 'hex'));
    platform = await start({ logo: 'logo.svg' });
    expect((await send(platform.url, '/logo')).headers.get('content-type')).to.equal('image/png');
  });

  for (const [name, site, fault] of [
    ['a colour that is none', { accent: 'red;}body{display:none' }, 'site/accent'],
    ['a name that nobody can see', { name: '\u202e' }, 'site/name'],
    ['a name that is too long', { name: 'x'.repeat(61) }, 'site/name'],
    ['a logo that is not there', { logo: 'none.svg' }, 'site/logo: is not readable (ENOENT)'],
    ['a logo that is no picture', { logo: 'page.html' }, 'site/logo: must be an SVG or a PNG file'],
    ['a logo that is too large', { logo: 'large.svg' }, 'site/logo: must be a file of at most 64 KiB'],
    ['a member that is unknown', { css: 'x' }, 'site'],
  ] as const)
    it(`${name} stops the start`, async () => {
      writeFileSync(join(home, 'page.html'), '<html></html>');
      writeFileSync(join(home, 'large.svg'), svg + ' '.repeat(70_000));
      const error = await start(site).catch((thrown: unknown) => thrown);
      expect(String(error)).to.include(`platform.json/${fault}`);
    });
});

describe('links to services of other listeners', () => {
  it('are absolute, by what the operator says or by the address, and those that nobody serves are left out', async () => {
    const platform = await startPlatform({
      platform: {
        public_url: 'https://orbs.example',
        listen: [
          { address: '127.0.0.1:0', services: ['policy'] },
          { address: '127.0.0.1:0', services: ['ledger'], public_url: 'https://ledger.example' },
        ],
      },
    });
    try {
      const { text } = await send(platform.url, '/', { headers: { accept: browser } });
      expect(text).to.include('href="https://ledger.example/marketplace"').and.include('href="/status.html"');
      expect(text).to.not.include('/verify"');
      const other = platform.kernel.listeners[1]?.url ?? '';
      expect((await send(other, '/marketplace')).text).to.include('href="/marketplace"');
    } finally {
      await platform.stop();
    }
  });
});
