import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../helpers/folder.ts';
import { guideBlocks } from '../helpers/guide.ts';
import { pagesFolder } from '../helpers/pages.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { compilerOrSkip, hasCompiler, needCompiler } from '../plugins/policy/compiler.ts';
import { buildClients } from '../plugins/clients/built.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

/** Pages that are followed on a server of their own; `says`: what is printed under a heading. */
const followed: readonly {
  readonly page: string;
  readonly needsCompiler?: true;
  /** What changes a whole machine: service.full.test.ts does it in one of its own. */
  readonly ofMachines?: readonly string[];
  readonly says: Readonly<Record<string, RegExp>>;
}[] = [
  { page: 'start', says: { 'Verify the receipt': /^VERIFIED$/m } },
  {
    page: 'providers',
    says: {
      'Send real e-mail': /^The configuration is valid: .* 3 providers/m,
      'Call other services': /^The configuration is valid: .* 1 provider/m,
      'Add a provider by API': /^relay is in the store$/m,
    },
  },
  {
    page: 'operate/policies',
    needsCompiler: true,
    says: {
      'Deny a run': /More than 10 recipients need a reviewer/,
      'Test a policy before you activate it': /^ok test_/m,
      // Those of the pages before it count too.
      'Replay past decisions': /"undecidable":[1-9]/,
    },
  },
  {
    page: 'operate/orbs',
    says: {
      'Add an Orb': /^demo\.greet@1\.0\.0 is available[^]*completed in/m,
      'Create an Orbiset': /^team .*demo\.\*$/m,
    },
  },
  {
    page: 'operate/marketplace',
    says: { 'Publish an Orb': /^notify\.email@1\.0\.0 /m, 'Earn the bronze tier': /unscored/ },
  },
  {
    page: 'operate/webhooks',
    says: {
      'Create a source': /pagerduty/,
      Incidents: /^none\nnone$/m,
      'Open and resolve an incident': /inc_\w+ +open[^]*inc_\w+ +resolved/,
    },
  },
  { page: 'call/async', says: { 'Get the status': /"completed"/, 'Cancel a run': /"cancelled"/ } },
  {
    page: 'call/cors',
    says: { 'Call Orbs from your web page': /"completed"/, 'MCP clients in a browser': /^The configuration is valid/m },
  },
  {
    page: 'call/schedules',
    says: {
      'Create a schedule': /"schedules":\[\{[^]*\{/,
      'List the runs of a schedule': /^5 0\n[^]*"upcoming":\[[^]*"runs":\[\]/,
      'Pause or delete a schedule': /"paused"[^]*"active"[^]*204$/m,
    },
  },
  { page: 'operate/status', says: { 'Status page': /^operational/m } },
  { page: 'operate/console', says: { 'Sign in': /\/console#link=[\w-]{43}$/m, Access: /on call|orb_live_/ } },
  { page: 'operate/watch', says: { 'What needs attention': /undecided_runs/, Statistics: /"step":"hour"/ } },
  { page: 'trust/keys', says: { 'Rotate a key': /certificate/ } },
  { page: 'operate/erasure', says: { 'Erase the data of one caller': /^key_|prn_/m } },
  { page: 'operate/production', ofMachines: ['systemd'], says: { TLS: /^The configuration is valid/m } },
];

describe('who follows the short pages', function () {
  this.timeout(120_000);
  let served: Served;
  let at: { url: string; key: string };
  before(async function () {
    if (hasCompiler()) compilerOrSkip(this);
    buildClients();
    served = createServed();
    at = await served.start();
  });
  after(() => served?.remove());

  it('has a server whose pages list the commands of the kernel and of plugins', async () => {
    const text = await (await fetch(`${at.url}/docs/reference/cli`)).text();
    expect(text).to.include('orb doctor').and.to.include('orb receipts verify');
  });

  for (const { page, needsCompiler, ofMachines = [], says } of followed)
    describe(page, () => {
      const path = `${pagesFolder}/${page}.md`;
      let walk: Walk;
      before(function () {
        if (needsCompiler === true) needCompiler(this);
        walk = beginWalk(path, { home: served.home, ...at });
      });
      after(() => walk?.end());

      for (const heading of headingsOf(path).filter((one) => !ofMachines.includes(one)))
        it(`does what it says under "${heading}"`, async () => {
          const printed = await walk.follow(heading);
          expect(printed, printed).to.match(says[heading] ?? /^/);
        });

      it('says something where that is expected', () => {
        expect(headingsOf(path)).to.include.members(Object.keys(says));
      });
    });
});

describe('the page contributing', () => {
  const page = `${pagesFolder}/contributing.md`;
  const code = guideBlocks(page)
    .map((block) => block.code)
    .join('\n');

  it('names scripts of package.json, and tests that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { scripts: object };
    const text = readFileSync(join(packageDir, page), 'utf8');
    for (const [, name = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(scripts).to.have.property(name);
    const files = [...code.matchAll(/npm test -- (?!--)(\S+)/g)].map(([, file = '']) => file);
    expect(files.length).to.be.greaterThan(2);
    for (const file of files) expect(existsSync(join(packageDir, file)), file).to.equal(true);
    // Whatever else stood there would be run by nobody.
    expect(
      code
        .split('\n')
        .filter((line) => !/^(?:$|npm ci$|npm run \S+$|(?:UPDATE_GOLDEN=1 )?npm test -- \S+$)/.test(line)),
    ).to.deep.equal([]);
  });
});
