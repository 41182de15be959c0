import { mock } from 'node:test';
import { expect } from 'chai';
import { startPlugins } from '../../kernel/lifecycle.ts';
import type { LoadedPlugin } from '../../kernel/loader.ts';
import { silentLog } from '../../kernel/log.ts';

describe('the life of plugins', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('goes on to stop the others when one does not stop, and names it', async () => {
    const stopped: string[] = [];
    const plugin = (name: string, stop: () => Promise<void>): LoadedPlugin => ({
      config: {},
      plugin: {
        name,
        config: {},
        scopes: {},
        ids: [],
        requires: {},
        uses: {},
        provides: {},
        commands: [],
        start: () => Promise.resolve({ stop }),
      },
    });
    const plugins = [
      plugin('first', async () => void stopped.push('first')),
      plugin('stuck', () => new Promise(() => undefined)),
    ];
    const said: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void said.push(fields) };
    const started = await startPlugins(plugins, () => ({}) as never, log);
    const end = started.stop();
    mock.timers.tick(10_000);
    await end;
    expect(stopped).to.deep.equal(['first']);
    expect(said).to.have.length(1);
    expect(said[0]).to.include({ plugin: 'stuck' });
  });
});
