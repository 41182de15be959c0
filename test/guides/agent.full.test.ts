import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { send } from '../helpers/http.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { compilerOrSkip, hasCompiler, needCompiler } from '../plugins/policy/compiler.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/agents.md';
const denial = 'When a policy denies the run';

/** An adapter of a test: of one address nobody learns what became of its mail. */
const silent = `export default (api) => api.defineProvider({
  name: 'silent',
  capability: { name: 'email', title: 'E-mail' },
  sandbox: true,
  config: { type: 'object', additionalProperties: false, properties: {} },
  open: () => ({
    async execute({ to }) {
      if (to === 'silence@example.com') throw new api.ProviderError('unknown', 'no answer', { phase: 'response' });
      return { message_id: 'silent-1' };
    },
  }),
});
`;

describe('the guide for who develops an agent', function () {
  this.timeout(120_000);
  let served: Served;
  let at: { url: string; key: string };
  let walk: Walk;
  before(async function () {
    if (hasCompiler()) compilerOrSkip(this);
    served = createServed({
      adapters: { 'email/silent': { from: './ext/silent.mjs' } },
      providers: { silent: { adapter: 'email/silent' }, echo: { adapter: 'echo/local' } },
    });
    mkdirSync(join(served.home, 'ext'));
    writeFileSync(join(served.home, 'ext/silent.mjs'), silent);
    at = await served.start();
    walk = beginWalk(guide, { home: served.home, ...at });
  });
  after(async () => {
    walk?.end();
    await served?.remove();
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async function () {
      if (heading === denial) needCompiler(this);
      const problems = (await walk.follow(heading)).match(/"code":"\w+"/g) ?? [];
      expect(problems).to.deep.equal(heading === 'Create a key with few scopes' ? ['"code":"insufficient_scope"'] : []);
    });

  it('gives a key that runs this Orb alone, reads runs and receipts, ends, and is of the rehearsal', async () => {
    const { json } = await send(at.url, '/keys?limit=1', { key: at.key });
    const [key] = json['keys'] as [{ mode: string; scopes: string[]; expires_at: string }];
    expect(key.mode).to.equal('test');
    expect(key.scopes).to.deep.equal(['orbs:execute:notify.email@1.0.0', 'runs:read', 'receipts:read']);
    expect(Date.parse(key.expires_at)).to.be.greaterThan(Date.now());
    const refused = await walk.type(`curl -sS "$ORB_URL/orbs" -H "Authorization: Bearer $ORB_KEY"`);
    expect(refused.stdout).to.include('"insufficient_scope"');
  });

  it('gives a program that sends nothing again when the outcome is unknown, and tells what became of it', async () => {
    const mail = async (): Promise<Readonly<Record<string, string>>> => {
      const { stdout } = await walk.type('node mail.ts silence@example.com task-3');
      return JSON.parse(stdout) as Readonly<Record<string, string>>;
    };
    const first = await mail();
    expect(first).to.include({ kind: 'unknown' });
    expect(await mail()).to.deep.equal(first);
    const { json } = await send(at.url, '/runs?status=indeterminate', { key: at.key });
    expect(json['runs']).to.have.length(1);
    const resolve = `/runs/${first['run_id'] ?? ''}/resolve`;
    const settled = await send(at.url, resolve, { key: at.key, json: { outcome: 'not_sent' } });
    expect(settled.json['status'], settled.text).to.equal('failed');
  });

  it('gives a program that refuses a receipt by another key, and one of another contract', async () => {
    const { stdout } = await walk.type('MANIFEST=sha256:other node receipt.ts || echo "exit $?"');
    expect(stdout).to.equal('{"good":true,"mine":true,"same":false}\nexit 1\n');
    await walk.type(`sed 's/"x":"..../"x":"AAAA/g' keys.json > other.json && mv other.json keys.json`);
    const other = await walk.type('node receipt.ts || echo "exit $?"');
    expect(other.stdout).to.equal('{"good":false,"mine":true,"same":true}\nexit 1\n');
  });
});
