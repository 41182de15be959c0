import { expect } from 'chai';
import { checkNames } from '../../plugins/receipts/verifier/report.ts';
import { guideBlocks, readGuide } from '../helpers/guide.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';
import { need } from '../helpers/needs.ts';

const guide = 'plugins/docs/pages/trust.md';
const foreign = 'Verify with other tools';

describe('the guide for who audits', function () {
  this.timeout(120_000);
  let served: Served;
  let walk: Walk;
  before(async () => {
    served = createServed();
    walk = beginWalk(guide, { home: served.home, ...(await served.start()) });
  });
  after(async () => {
    walk?.end();
    await served?.remove();
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async function () {
      if (heading === foreign) need(this, 'jq', 'openssl');
      await walk.follow(heading);
    });

  it('changes whatever score a receipt has, and fails when it has none', async () => {
    const block = guideBlocks(guide).find(({ language, code }) => language === 'sh' && code.includes('> changed.json'));
    const [change = '', check = ''] = (block?.code ?? '').split('\n');
    for (const [receipt, said] of [
      ['{"trust_score":74}', '{"trust_score":99}'],
      ['{ "trust_score": 8 }', '{ "trust_score": 99 }'],
      ['{}', 'no score'],
    ]) {
      await walk.type(`mkdir -p tampered && echo '${receipt}' > tampered/receipt.json`);
      const script = `cd tampered\n${change}\n${check}\ncat changed.json`;
      const { stdout, stderr } = await walk.type(`bash -e <<'END' || true\n${script}\nEND`);
      expect(stdout + stderr).to.include(said);
    }
  });

  it('names every check, in the order of the reports', () => {
    const named = [...readGuide(guide).matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name);
    expect(named).to.deep.equal([...checkNames]);
  });

  it('gives each verdict and exit code as the program does', async () => {
    const told = [...readGuide(guide).matchAll(/^\| `([A-Z-]+)` +\| (\d) +\|/gm)].map(
      ([, word, exit]) => `${word} ${exit}`,
    );
    const cases = [
      'receipts verify receipt.json --keys keys.json --url "$ORB_URL/log"',
      'receipts verify only.json --keys keys.json --unlogged',
      'receipts verify changed.json --keys keys.json',
      'receipts verify broken.json --keys keys.json',
      'receipts verify only.json --keys keys.json',
      'receipts verify receipt.json --keys none.json',
      'receipts verify receipt.json --keys keys.json --url "$ORB_URL/log"',
      'receipts verify ../run.json --keys keys.json',
    ];
    await walk.type(`node -e '
      fs.writeFileSync("only.json", JSON.stringify(JSON.parse(fs.readFileSync("receipt.json")).envelope));
      fs.writeFileSync("broken.json", "{\\"envelope\\":{}}");
      fs.writeFileSync("none.json", "{\\"keys\\":[]}");'`);
    const found: string[] = [];
    for (const [at, words] of cases.entries()) {
      // Seen before: another log.
      if (at === 6) await walk.type(`sed -i 's/"root": "..../"root": "AAAA/' seen/seen-checkpoints.json`);
      const { stdout } = await walk.type(`npx orb ${words} && echo 0 || echo $?`);
      found.push(stdout.trim().split('\n').slice(-2).join(' '));
    }
    expect(found).to.deep.equal(told);
  });
});
