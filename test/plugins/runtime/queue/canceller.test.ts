import { expect } from 'chai';
import { Canceller, type CancellerOptions } from '../../../../plugins/runtime/queue/canceller.ts';
import { Control } from '../../../../plugins/runtime/queue/turn.ts';
import { cancelTopics } from '../../../../plugins/runtime/tables/node-messages.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';

interface Bed {
  readonly canceller: Canceller;
  /** Runs that were ended as cancelled. */
  readonly ended: string[];
  /** Lets the run wait in the queue, out of the turn that it had. */
  back(): void;
}

/** A run that one turn has, on its way back into the queue. */
function leaving(): Bed {
  const ended: string[] = [];
  const waiting = { run_id: 'run_1', request: '{}', attempts: '[]' };
  let control: Control | undefined = new Control('irreversible');
  control.leave();
  const canceller = new Canceller({
    store: {
      shared: false,
      node: { name: 'a', incarnation: '1' },
      peers: { follow: () => undefined },
      write: async () => [control === undefined ? waiting : undefined],
    },
    log: silentLog,
    turns: { control: () => control, end: async () => undefined },
    lines: { withdraw: () => undefined },
    followers: { wait: async () => undefined },
    find: () => (ended.length === 0 ? waiting : undefined),
    ended: ({ run_id }: { readonly run_id: string }) => ended.push(run_id),
  } as unknown as CancellerOptions);
  return { canceller, ended, back: () => void (control = undefined) };
}

describe('cancelling a run that goes back into the queue', () => {
  it('ends it as soon as it waits there', async () => {
    const { canceller, ended, back } = leaving();
    const cancelling = canceller.cancel('run_1');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ended).to.deep.equal([]);
    back();
    expect([await cancelling, ended]).to.deep.equal(['stopped', ['run_1']]);
  });

  it('is refused when the store does not take it back: nothing is known of its end', async () => {
    const { canceller, ended } = leaving();
    const refused = await rejection(canceller.cancel('run_1'));
    expect(refused).to.include({ code: 'storage_unavailable' });
    expect(ended).to.deep.equal([]);
  });
});

describe('cancelling a run that another node has', () => {
  /** The other node says that it is too late, or nothing. */
  function elsewhere(answers: boolean): Canceller {
    let refused: (runIds: readonly string[]) => void = () => undefined;
    return new Canceller({
      store: {
        shared: true,
        node: { name: 'a', incarnation: '1' },
        peers: {
          follow: (topic: unknown, told: typeof refused) => {
            if (topic === cancelTopics.refused) refused = told;
          },
        },
        write: async () => [undefined],
      },
      log: silentLog,
      turns: { control: () => undefined },
      lines: { withdraw: () => undefined },
      followers: {
        wait: async () => {
          if (answers) refused(['run_1']);
        },
      },
      find: () => ({ run_id: 'run_1' }),
    } as unknown as CancellerOptions);
  }

  it('is too late when that node says so', async () => {
    expect(await elsewhere(true).cancel('run_1')).to.equal('dispatched');
  });

  it('is not known when that node says nothing: it may have died before the dispatch', async () => {
    expect(await rejection(elsewhere(false).cancel('run_1'))).to.include({ code: 'storage_unavailable' });
  });
});
