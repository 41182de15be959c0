import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientPackages } from '../../../../plugins/clients/build/packages.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { need } from '../../../helpers/needs.ts';
import { runPython } from '../../../helpers/python.ts';
import { copySources } from '../built.ts';
import { buildWheel, installWheel, type InstalledWheel } from './installed.ts';

describe('the wheel of the Python client', function () {
  this.timeout(180_000);
  let installed: InstalledWheel;
  before(async function () {
    need(this, 'python');
    installed = await installWheel();
  });
  after(() => installed?.remove());

  it('has the same bytes when it is built in another folder', async () => {
    const other = copySources();
    try {
      const [here, there] = [await clientPackages(packageDir), await clientPackages(other)];
      const name = Object.keys(here).find((file) => file.endsWith('.whl')) ?? expect.fail();
      expect(Buffer.compare(here[name] ?? Buffer.alloc(0), there[name] ?? Buffer.alloc(1))).to.equal(0);
      expect(Buffer.compare(here[name] ?? Buffer.alloc(0), readFileSync(buildWheel()))).to.equal(0);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('holds modules, the tables and its licence, and needs two packages', async () => {
    const listing = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))';
    const names = (await runPython(['-c', listing, buildWheel()], { cwd: installed.folder })).trim().split('\n');
    const others = names
      .filter((name) => !/^agent_orb\/_\w+\.py$/.test(name))
      .map((name) => name.replace(/-[\d.]+\.dist/, '.dist'));
    expect(others).to.have.members([
      ...['agent_orb/py.typed', 'agent_orb/retry.json', 'agent_orb/statements.json', 'agent_orb/words.json'],
      ...['METADATA', 'RECORD', 'WHEEL', 'licenses/LICENSE'].map((name) => `agent_orb.dist-info/${name}`),
    ]);
    const metadata = names.find((name) => name.endsWith('METADATA')) ?? '';
    const about = readFileSync(join(installed.folder, metadata), 'utf8');
    expect(about.match(/^Requires-Dist: .*$/gm)).to.have.length(2);
  });

  it('is typed: mypy --strict finds nothing in it, and wrong calls in a program', async () => {
    const check = (...args: string[]): Promise<string> =>
      runPython(['-m', 'mypy', '--strict', ...args], { cwd: installed.folder, env: { MYPYPATH: installed.folder } });
    expect(await check('-p', 'agent_orb')).to.contain('no issues found');
    const right = `from agent_orb import Completed, Orb

orb = Orb("http://orb.test", "orb_test_x", pin="tofu")
outcome = orb.run("notify.email@1.0.0", {"to": "ada@example.com"}, key="order-1", timeout=5)
match outcome:
    case Completed(outputs=outputs, receipt=receipt):
        print(outputs["message_id"], receipt)
    case _:
        print(outcome.kind, outcome.key)
`;
    writeFileSync(join(installed.folder, 'right.py'), right);
    expect(await check('right.py')).to.contain('no issues found');
    const wrong = `from agent_orb import Orb

orb = Orb("http://orb.test", "orb_test_x", pins="tofu")
outcome = orb.run("notify.email@1.0.0", {}, key=1)
outcome.outputs
orb.run("notify.email@1.0.0", "text")
orb.request("GET", "/runs", data={})
`;
    writeFileSync(join(installed.folder, 'wrong.py'), wrong);
    const found = await check('wrong.py').catch((error: Error) => error.message);
    for (const line of [3, 4, 5, 6, 7]) expect(found, `line ${line}`).to.match(new RegExp(`wrong\\.py:${line}: error`));
  });
});
