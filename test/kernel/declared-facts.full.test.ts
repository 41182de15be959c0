import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServed } from '../helpers/served.ts';

const watch = `{
  kind: 'watch',
  predicate: {
    type: 'object', additionalProperties: false, required: ['watch_id', 'facts'],
    properties: {
      watch_id: { type: 'string', pattern: '^wat_[0-9A-HJKMNP-TV-Z]{26}$' },
      facts: {
        type: 'object', additionalProperties: false, required: ['from', 'level'],
        properties: {
          from: { type: 'string', pattern: '^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\d$' }, to: { type: 'string', format: 'date' },
          level: { type: 'string', enum: ['low', 'high'] }, why: { type: 'string', minLength: 1 },
        },
      },
    },
  },
  subject: ['watch_id'],
  scopes: ['watches:read'],
  rules: [
    { fault: 'a high watch says why',
      when: { type: 'object', properties: { facts: { type: 'object', properties: { level: { const: 'high' } } } } },
      must: { type: 'object', properties: { facts: { type: 'object', required: ['why'] } } } },
    { fault: 'a watch ends before it begins', compare: ['facts.from', 'not_after', 'facts.to'] },
  ],
}`;

// The route attests whatever kind and facts it is sent.
const plugin = (name: string, kind: string): string => `
import { defineFact, definePlugin, defineRoute, timestamp } from 'agent-orb-kit';
const open = { type: 'object', description: 'Anything', additionalProperties: true, properties: {} };
export default definePlugin({
  name: '${name}',
  ids: ['${name.slice(0, 3)}'],
  scopes: { '${name}es:read': { title: 'See watches' } },
  facts: [defineFact(${kind})],
  start: ({ platform, clock, ids }) => ({
    routes: [
      defineRoute({
        method: 'POST', path: '/${name}es', operationId: 'add${name}', service: 'runtime', scope: '${name}es:read',
        summary: 'Watch', body: open, response: open, problems: [],
        handle: ({ body: { kind, facts, ...members } }) => platform.attest({
          fact: { kind, at: timestamp(clock.now()), ...(kind === 'watch' ? { watch_id: ids('wat') } : {}), ...members, facts },
          operations: () => [],
        }),
      }),
    ],
  }),
});
`;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('kinds of facts that a plugin outside the tree declares', function () {
  this.timeout(180_000);
  const served = createServed({ plugins: { watch: { from: 'ext/watch.ts' } } });
  const auditor = mkdtempSync(join(tmpdir(), 'orb-auditor-'));
  let url = '';
  let admin = '';
  let receiptId = '';

  const call = async (method: string, path: string, body?: object, key = admin): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  const kindsSeenBy = async (...scopes: readonly string[]): Promise<readonly string[]> => {
    const { body } = await call('POST', '/keys', { name: 'reader', scopes });
    const list = await call('GET', '/receipts?limit=100', undefined, String(body['key']));
    const kinds = (list.body['receipts'] as readonly { readonly kind: string }[]).map(({ kind }) => kind);
    // Those of the shipped Orbs belong to the tenant of every key here.
    return kinds.filter((kind) => kind !== 'namespace');
  };
  const verified = (...args: readonly string[]): { status: number | null; report: Answer['body'] } => {
    const { status, stdout } = served.orb('receipts', 'verify', ...args, '--json');
    return { status, report: JSON.parse(stdout) as Answer['body'] };
  };
  const start = async (): Promise<void> => {
    ({ url, key: admin } = await served.start());
  };
  const platformFile = join(served.home, 'data/platform.json');
  const configured = (plugins: object): void => {
    const file = JSON.parse(readFileSync(platformFile, 'utf8')) as object;
    writeFileSync(platformFile, JSON.stringify({ ...file, plugins }));
  };

  before(async () => {
    mkdirSync(join(served.home, 'ext'));
    writeFileSync(join(served.home, 'ext/watch.ts'), plugin('watch', watch));
    await start();
    const facts = { from: '2026-11-20', to: '2026-11-21', level: 'high', why: 'it fails often' };
    const attested = await call('POST', '/watches', { kind: 'watch', facts });
    expect([attested.status, attested.body['signature_valid']]).to.deep.equal([200, true]);
    receiptId = String(attested.body['receipt_id']);
  });
  after(async () => {
    await served.remove();
    rmSync(auditor, { recursive: true, force: true });
  });

  it('are listed and read by the scope that they name, with receipts:read, and by nobody else', async () => {
    expect(await kindsSeenBy('*')).to.include('watch');
    expect(await kindsSeenBy('receipts:read', 'watches:read')).to.deep.equal(['watch']);
    expect(await kindsSeenBy('receipts:read', 'incidents:read')).to.not.include('watch');
    expect(await kindsSeenBy('receipts:read')).to.deep.equal([]);
    const { body } = await call('POST', '/keys', { name: 'other', scopes: ['receipts:read', 'incidents:read'] });
    expect((await call('GET', `/receipts/${receiptId}`, undefined, String(body['key']))).status).to.equal(404);
  });

  for (const [what, body] of [
    ['a kind that nobody declares', { kind: 'clock', facts: {} }],
    [
      'a kind of another plugin',
      { kind: 'standing', orb_id: 'demo.echo@1.0.0', facts: { change: 'lifted', reason: 'x' } },
    ],
    ['a run', { kind: 'run', facts: {} }],
    ['facts that break the schema', { kind: 'watch', facts: { from: '2026-11-20', level: 'none' } }],
    ['a day that does not exist', { kind: 'watch', facts: { from: '2026-01-20', to: '2026-02-30', level: 'low' } }],
    ['facts that break a rule', { kind: 'watch', facts: { from: '2026-11-20', level: 'high' } }],
    ['facts in the wrong order', { kind: 'watch', facts: { from: '2026-11-20', to: '2026-11-19', level: 'low' } }],
  ] as const)
    it(`are the only ones that it attests: ${what} is refused`, async () => {
      const count = async (): Promise<number> => (await kindsSeenBy('*')).length;
      const before = await count();
      expect((await call('POST', '/watches', body)).status).to.equal(500);
      expect(await count()).to.equal(before);
    });

  it('are verified offline, by the server and by fsck; who does not know them says so, and checks the rest', async () => {
    const document = (await call('GET', `/receipts/${receiptId}`)).body;
    expect(document['signature_valid']).to.equal(true);
    expect((await call('POST', '/receipts/verify', document)).body['overall']).to.equal('VERIFIED');
    expect(await (await fetch(`${url}/verify`)).text()).to.include('"kind":"watch"');
    const file = join(auditor, 'watch.json');
    writeFileSync(file, JSON.stringify(document));
    expect(verified(file).status).to.equal(0);
    expect(served.orb('log', 'fsck').status).to.equal(0);
    const edited = join(auditor, 'edited.json');
    writeFileSync(edited, JSON.stringify(document).replace('"level":"high"', '"level":"low"'));
    expect(verified(edited).status).to.equal(1);

    const facts = join(served.stateDir, 'facts.json');
    const elsewhere = join(auditor, 'facts.json');
    writeFileSync(elsewhere, readFileSync(facts));
    rmSync(facts);
    const { status, report } = verified(file);
    expect([status, report['overall']]).to.deep.equal([3, 'REJECTED']);
    const checks = report['checks'] as readonly { name: string; result: string; detail?: string }[];
    const passed = checks.filter(({ result }) => result === 'pass').map(({ name }) => name);
    expect(passed).to.include.members(['envelope', 'key_trusted', 'leaf_matches_envelope', 'inclusion']);
    expect(passed).to.include.members(['checkpoint_signature', 'key_status_at_index']);
    expect(checks.find(({ name }) => name === 'statement_schema')?.detail).to.include('kind watch');
    expect(verified(file, '--facts', elsewhere).status).to.equal(0);
    expect(verified(edited).status).to.equal(1);
  });

  it('go along with an export, and stay verifiable when the plugin is gone', async () => {
    const [folder, archive] = [join(auditor, 'export'), join(auditor, 'export.tar')];
    const made = served.orb('receipts', 'export', '--out', archive);
    expect(made.status, made.stderr).to.equal(0);
    mkdirSync(folder);
    expect(spawnSync('tar', ['-xf', archive, '-C', folder]).status).to.equal(0);
    expect(verified(folder, '--facts', join(folder, 'facts.json')).status).to.equal(0);
    expect(verified(folder).status).to.equal(3);
    // A start writes down what it knows; without the plugin it knows it from there.
    for (const plugins of [{ watch: { from: 'ext/watch.ts' } }, {}]) {
      await served.stop();
      configured({ policy: { config: { build_compiler: false } }, ...plugins });
      await start();
    }
    expect((await call('GET', `/receipts/${receiptId}`)).body['signature_valid']).to.equal(true);
    expect(served.orb('log', 'fsck').status).to.equal(0);
  });

  for (const [what, kind, fault] of [
    ['another declaration of a kind', watch.replace('low', 'lower'), 'is declared otherwise by plugins.watch'],
    [
      'a kind of a shipped plugin',
      watch.replace("'watch'", "'incident'"),
      'is declared otherwise by plugins.ingestion',
    ],
    ["the kernel's own kind", watch.replace("'watch'", "'swap'"), 'belongs to the kernel'],
    [
      'a schema no verifier could check',
      watch.replace("'watch'", "'clash'").replace('minLength', 'maxBytes'),
      'maxBytes',
    ],
  ] as const)
    it(`stop the start with 78 at ${what}, in whatever order plugins are named`, async () => {
      await served.stop();
      writeFileSync(join(served.home, 'ext/clash.ts'), plugin('clash', kind));
      const both = { watch: { from: 'ext/watch.ts' }, clash: { from: 'ext/clash.ts' } };
      const reverse = Object.fromEntries(Object.entries(both).reverse());
      // The order of two plugins is the same question for each of them.
      for (const plugins of kind.includes('lower') ? [both, reverse] : [both]) {
        configured(plugins);
        const { status, stderr } = served.orb('serve');
        expect(status, stderr).to.equal(78);
        expect(stderr).to.include(plugins === both ? fault : 'the kind of fact');
      }
    });

  it('keep the declaration under which they have receipts; a changed one needs a new name', async () => {
    await served.stop();
    configured({ watch: { from: 'ext/watch.ts' } });
    const declared = (kind: string): ReturnType<typeof served.orb> => {
      writeFileSync(join(served.home, 'ext/watch.ts'), plugin('watch', kind));
      return served.orb('serve');
    };
    const { status, stderr } = declared(watch.replace("'high']", "'high', 'top']"));
    expect(status, stderr).to.equal(78);
    expect(stderr).to.include('the kind of fact watch has receipts under another declaration');
    // Who reads them may change.
    writeFileSync(join(served.home, 'ext/watch.ts'), plugin('watch', watch.replace("'watches:read'", "'keys:manage'")));
    await start();
    expect((await call('GET', `/receipts/${receiptId}`)).body['signature_valid']).to.equal(true);
  });
});
