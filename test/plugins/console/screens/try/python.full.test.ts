import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { need } from '../../../../helpers/needs.ts';
import { runPython } from '../../../../helpers/python.ts';
import { pythonOf } from '../../../../../plugins/console/app/screens/try/snippets.ts';
import { callsOf, hostileCalls, origin, sentOf } from './hostile-calls.ts';

// Runs each program with an `httpx` that notes what it is given.
const runner = `
import json, os, sys, types

sent = []
answer = types.SimpleNamespace(status_code=200, json=lambda: {})

def request(method, url, headers, json, timeout):
    sent.append({"method": method, "url": url, "headers": headers, "body": json, "timeout": timeout})
    return answer

sys.modules["httpx"] = types.SimpleNamespace(request=request)
for program in json.load(open(sys.argv[1])):
    exec(compile(program, "program", "exec"), {"print": lambda *_: None})
print(json.dumps(sent))
`;

describe('a call as a program in Python', function () {
  this.timeout(60_000);
  before(function () {
    need(this, 'python');
  });

  it('sends what the page sends, whatever the values are', async () => {
    const calls = [...hostileCalls, ...fc.sample(callsOf, { numRuns: 1000, seed: 7 })];
    const cwd = mkdtempSync(join(tmpdir(), 'orb-python-'));
    try {
      writeFileSync(join(cwd, 'programs.json'), JSON.stringify(calls.map((call) => pythonOf(sentOf(call)))));
      const printed = await runPython(['-c', runner, 'programs.json'], { cwd, env: { ORB_KEY: 'orb_test_1' } });
      const expected = calls.map(({ method, path, headers, body }) => ({
        ...{ method, url: origin + path, timeout: 10, body: JSON.parse(JSON.stringify(body)) as unknown },
        headers: { Authorization: 'Bearer orb_test_1', ...headers },
      }));
      expect(JSON.parse(printed)).to.deep.equal(expected);
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});
