import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { need } from '../../../../helpers/needs.ts';
import { runPython } from '../../../../helpers/python.ts';
import { pythonOf } from '../../../../../plugins/console/app/screens/try/snippets.ts';
import { givenOf, hostileRuns, runsOf } from './hostile-calls.ts';

// Runs each program with a client that notes what it is given.
const runner = `
import json, sys, types

given = []

class Orb:
    def __init__(self, url, key, pin):
        assert (key, pin) == ("orb_test_1", "tofu")
        self.url = url

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, orb_id, inputs, **options):
        given.append({"url": self.url, "orb_id": orb_id, "inputs": inputs, "options": options})

sys.modules["agent_orb"] = types.SimpleNamespace(Orb=Orb)
for program in json.load(open(sys.argv[1])):
    exec(compile(program, "program", "exec"), {"print": lambda *_: None})
print(json.dumps(given))
`;

describe('a call as a program in Python', function () {
  this.timeout(60_000);
  before(function () {
    need(this, 'python');
  });

  it('gives the client what the page sends, whatever the values are', async () => {
    const runs = [...hostileRuns, ...fc.sample(runsOf, { numRuns: 1000, seed: 7 })];
    const cwd = mkdtempSync(join(tmpdir(), 'orb-python-'));
    try {
      writeFileSync(join(cwd, 'programs.json'), JSON.stringify(runs.map(pythonOf)));
      const printed = await runPython(['-c', runner, 'programs.json'], { cwd, env: { ORB_KEY: 'orb_test_1' } });
      const expected = runs.map(givenOf).map(({ options, ...given }) => ({
        ...given,
        options: { ...options, timeout: 10 },
      }));
      expect(JSON.parse(printed)).to.deep.equal(expected);
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});
