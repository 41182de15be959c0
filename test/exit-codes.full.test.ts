import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startCommandLine, type CommandLine, type Ended, type Given, type Run } from './helpers/command-line.ts';
import { tableUnder } from './helpers/guide.ts';
import { pagesFolder } from './helpers/pages.ts';

describe('the exit codes of orb', () => {
  let line: CommandLine;
  const run = (args: readonly string[], given?: Partial<Given>): Ended => line.run(args, given);
  const orb = (...args: readonly string[]): string => line.orb(...args);
  const json = <T>(...args: readonly string[]): T => line.json<T>(...args);
  const file = (name: string, content: unknown): string => line.file(name, content);

  before(async () => void (line = await startCommandLine({ apart: true })));
  after(() => line.served.remove());

  let saved: string | undefined;
  const receipt = (): string =>
    (saved ??= orb('receipts', 'get', json<Run>('run', 'demo.echo@1.0.0', '{"text":"hello"}').receipt.receipt_id));
  const strangers = (): string => {
    const jwks = JSON.parse(readFileSync(join(line.served.stateDir, 'jwks.json'), 'utf8')) as { keys: { x: string }[] };
    for (const key of jwks.keys) key.x = (key.x.startsWith('A') ? 'B' : 'A') + key.x.slice(1);
    return file('strangers.json', jwks);
  };
  const verify = (content: string, ...more: string[]): Ended =>
    run(['receipts', 'verify', file('artefact.json', content), ...more]);

  const forked = (): Ended => {
    const seen = join(line.served.stateDir, 'seen-checkpoints.json');
    const kept = (verify(receipt()), readFileSync(seen, 'utf8'));
    writeFileSync(seen, kept.replace(/"root": "..../, '"root": "AAAA'));
    const ended = verify(receipt());
    writeFileSync(seen, kept);
    return ended;
  };

  const scenarios: readonly { readonly code: number; readonly name: string; readonly end: () => Ended }[] = [
    { code: 0, name: 'a command is done', end: () => run(['orbs', 'list']) },
    { code: 0, name: 'a receipt is verified', end: () => verify(receipt()) },
    { code: 1, name: 'the server answers with a problem', end: () => run(['orbs', 'show', 'demo.nobody@1.0.0']) },
    { code: 1, name: 'the command fails', end: () => run(['run', 'demo.echo@1.0.0', '{not json']) },
    { code: 1, name: 'a receipt was changed', end: () => verify(receipt().replace('"trust_score": ', '$&1')) },
    { code: 2, name: 'a receipt is cut short', end: () => verify(receipt().slice(0, -10)) },
    {
      code: 3,
      name: 'there is nothing to verify',
      end: () => verify('{"run_id":"run_1","receipt":{"receipt_id":"rec_1"}}'),
    },
    { code: 3, name: 'there is no file to verify', end: () => run(['receipts', 'verify', 'nowhere.json']) },
    { code: 4, name: 'a receipt is of a stranger', end: () => verify(receipt(), '--keys', strangers()) },
    { code: 5, name: 'a log shows another tree than before', end: () => forked() },
    { code: 64, name: 'there is no such command', end: () => run(['nothing']) },
    { code: 64, name: 'there is no such option', end: () => run(['orbs', 'list', '--colour']) },
    { code: 64, name: 'an argument is missing', end: () => run(['orbs', 'show']) },
    { code: 69, name: 'no server answers', end: () => run(['orbs', 'list'], { url: 'http://127.0.0.1:1' }) },
    { code: 78, name: 'the state dir is in use', end: () => run(['serve']) },
  ];

  for (const { code, name, end } of scenarios)
    it(`${code}: ${name}`, () => {
      const { status, stdout, stderr } = end();
      expect(status, stdout + stderr).to.equal(code);
      if (code !== 0) expect(stdout + stderr).not.to.equal('');
      expect(stderr).not.to.match(/^ {4}at /m);
    });

  it('are those of the documentation', () => {
    const told = tableUnder(`${pagesFolder}/reference/cli.md`, 'Exit codes').map(([code = '']) => Number(code));
    // 75 needs a database, and is shown in test/standby.full.test.ts.
    const shown = [...scenarios.map(({ code }) => code), 75].sort((one, other) => one - other);
    expect(told).to.deep.equal([...new Set(shown)]);
  });
});
