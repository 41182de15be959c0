import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { askPerson } from '../../../../kernel/cli/command/confirm.ts';
import { shippedCommands } from '../../../../kernel/main.ts';
import { runInThread } from '../../../helpers/in-thread.ts';
import { tmpdir } from 'node:os';

describe('a command that cannot be undone', () => {
  const terminal = (isTTY: boolean) => ({
    input: Object.assign(new PassThrough(), { isTTY }),
    output: Object.assign(new PassThrough(), { isTTY }),
  });

  for (const [typed, wanted] of [
    ['y\n', 'yes'],
    ['Yes\n', 'yes'],
    ['\n', 'no'],
    ['yesterday\n', 'no'],
    ['', 'no'],
  ] as const)
    it(`asks on a terminal: ${JSON.stringify(typed)} is ${wanted}`, async () => {
      const streams = terminal(true);
      streams.input.end(typed);
      expect(await askPerson('The key stops working.', streams)).to.equal(wanted);
      expect(String(streams.output.read())).to.include('The key stops working. [y/N] ');
    });

  it('asks nobody without a terminal', async () => {
    const streams = terminal(false);
    expect(await askPerson('The key stops working.', streams)).to.equal('nobody');
    expect(streams.output.read()).to.equal(null);
  });

  it('is refused without a terminal and without --yes, before it reaches the server', () => {
    const without = { PATH: '', ORB_URL: 'http://127.0.0.1:1', ORB_KEY: 'x' };
    const run = (...args: readonly string[]) => runInThread(tmpdir(), { args, env: without });
    const { status, stderr } = run('keys', 'revoke', 'key_1');
    expect([status, stderr]).to.deep.equal([
      64,
      'orb: keys revoke cannot be undone: the key stops working at once. Add --yes to confirm\n',
    ]);
    expect(run('keys', 'revoke', 'key_1', '--yes').status).to.equal(69);
  });

  it('has --yes among its options', () => {
    const asking = shippedCommands().filter(({ confirm }) => confirm !== undefined);
    expect(asking.map(({ path }) => path)).to.have.members([
      'incidents retract',
      'keys revoke',
      'marketplace yank',
      'nodes leave',
      'runs resolve',
      'schedules delete',
      'signing-keys revoke',
      'sources delete',
      'sources remove-secret',
      'receipts erase',
      'subscriptions delete',
    ]);
    for (const { options = [], path } of asking)
      expect(
        options.filter(({ flag }) => flag === '--yes'),
        path,
      ).to.have.length(1);
  });
});
