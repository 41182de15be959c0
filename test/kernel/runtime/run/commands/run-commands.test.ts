import { expect } from 'chai';
import { runCommands } from '../../../../../kernel/runtime/run/commands/run-commands.ts';
import { runCommand } from '../../../../helpers/command.ts';

describe('orb runs resolve', () => {
  it('sends the outcome and the note of one run, and shows what became of it', async () => {
    const sent: unknown[] = [];
    const client = () => ({
      request: async <T>(...asked: readonly unknown[]): Promise<T> => {
        sent.push(asked.slice(0, 3));
        return { run_id: 'run_1/2', status: 'completed', resolution: 'rec_1' } as T;
      },
      open: () => Promise.reject(new Error('not asked')),
      download: () => expect.fail('nothing is downloaded'),
    });
    const resolve = runCommands.find(({ path }) => path === 'runs resolve') ?? expect.fail('there is no such command');
    const { exit, text } = await runCommand(resolve, '', ['run_1/2', 'sent'], { client, options: { note: 'seen' } });
    expect(sent).to.deep.equal([['POST', '/runs/run_1%2F2/resolve', { outcome: 'sent', note: 'seen' }]]);
    expect([exit, text]).to.deep.equal([0, 'run_id      run_1/2\nstatus      completed\nresolution  rec_1']);
    await runCommand(resolve, '', ['run_1', 'not_sent'], { client });
    expect(sent[1]).to.deep.equal(['POST', '/runs/run_1/resolve', { outcome: 'not_sent' }]);
  });
});
