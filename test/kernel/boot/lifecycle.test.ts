import { mock } from 'node:test';
import { expect } from 'chai';
import { ConfigError } from '../../../kernel/error.ts';
import { startPlugins } from '../../../kernel/boot/lifecycle.ts';
import { silentLog, type Log } from '../../../kernel/tools/log.ts';
import { definePlugin, type Plugin } from '../../../kernel/plugin.ts';
import { defineService } from '../../../kernel/service.ts';
import { rejection } from '../../helpers/stores/open.ts';
import type { LoadedPlugin } from '../../../kernel/boot/loaded.ts';

const counting = defineService<number>('counting');

/** A plugin of the name that does nothing, unless told otherwise. */
function plugin(name: string, more: Partial<Plugin> = {}): LoadedPlugin {
  return { config: {}, stores: [], plugin: { ...definePlugin({ name, start: () => ({}) }), ...more } };
}

const start = (plugins: readonly LoadedPlugin[], log: Log = silentLog) =>
  startPlugins(plugins, (_, services) => ({ services }) as never, { log, own: new Map() });

describe('the life of plugins', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const stops = (name: string, stopped: string[]): Partial<Plugin> => ({
    start: () => Promise.resolve({ stop: () => void stopped.push(name) }),
  });

  it('goes on to stop the others when one does not stop, and names it', async () => {
    const stopped: string[] = [];
    const stuck = { start: () => Promise.resolve({ stop: () => new Promise<void>(() => undefined) }) };
    const said: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void said.push(fields) };
    const started = await start([plugin('first', stops('first', stopped)), plugin('stuck', stuck)], log);
    const end = started.stop();
    mock.timers.tick(10_000);
    await end;
    expect(stopped).to.deep.equal(['first']);
    expect(said).to.have.length(1);
    expect(said[0]).to.include({ plugin: 'stuck' });
  });

  it('begins with what others require and ends in reverse, each once', async () => {
    const stopped: string[] = [];
    let given: unknown;
    const needs: Partial<Plugin> = {
      requires: { counted: counting },
      start: ({ services }) => {
        given = services['counted'];
        return Promise.resolve({ stop: () => void stopped.push('needs') });
      },
    };
    const gives: Partial<Plugin> = {
      provides: { count: counting },
      start: () => Promise.resolve({ services: { count: 7 }, stop: () => void stopped.push('gives') }),
    };
    const started = await start([plugin('needs', needs), plugin('gives', gives)]);
    expect(given).to.equal(7);
    expect(started.started.map(({ name }) => name)).to.deep.equal(['gives', 'needs']);
    await started.stop();
    await started.stop();
    expect(stopped).to.deep.equal(['needs', 'gives']);
  });

  it('opens when all have started, with services of later plugins, and closes before any stops', async () => {
    const told: unknown[] = [];
    const errors: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
    const first: Partial<Plugin> = {
      ports: { count: counting },
      start: () =>
        Promise.resolve({
          open: (ports) =>
            Promise.resolve({
              serving: () => void told.push('serving'),
              close: () => Promise.resolve(void told.push(['closed', ports])),
            }),
          stop: () => void told.push('stopped'),
        }),
    };
    const later: Partial<Plugin> = {
      provides: { count: counting },
      start: () =>
        Promise.resolve({
          services: { count: 7 },
          open: () => Promise.resolve({ close: () => Promise.reject(new Error('it cannot')) }),
        }),
    };
    const started = await start([plugin('first', first), plugin('later', later)], log);
    const open = await started.open();
    open.serving();
    await open.close();
    await open.close();
    await started.stop();
    expect(told).to.deep.equal(['serving', ['closed', { count: 7 }], 'stopped']);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.include({ plugin: 'later' });
  });

  it('begins after what it uses, if that is there, and goes without it if it is not', async () => {
    const given: unknown[] = [];
    const uses: Partial<Plugin> = {
      uses: { counted: counting },
      start: ({ services }) => {
        given.push(services['counted']);
        return Promise.resolve({});
      },
    };
    const gives: Partial<Plugin> = {
      provides: { count: counting },
      start: () => Promise.resolve({ services: { count: 7 } }),
    };
    await start([plugin('uses', uses), plugin('gives', gives)]);
    await start([plugin('uses', uses)]);
    expect(given).to.deep.equal([7, undefined]);
  });

  it('stops in reverse what has started when one does not start, and names that one', async () => {
    const stopped: string[] = [];
    const broken = plugin('broken', { start: () => Promise.reject(new Error('no disk')) });
    const others = ['first', 'second'].map((name) => plugin(name, stops(name, stopped)));
    const error = await rejection(start([...others, broken, plugin('never', stops('never', stopped))]));
    expect(String(error)).to.match(/plugin broken did not start \(after \d+ ms\): no disk/);
    expect(stopped).to.deep.equal(['second', 'first']);
  });

  it('does not wait for ever for one that does not start', async () => {
    const starting = rejection(start([plugin('stuck', { start: () => new Promise(() => undefined) })]));
    mock.timers.tick(30_000);
    expect(String(await starting))
      .to.include('plugin stuck did not start')
      .and.include('took longer than 30 s');
  });

  it('passes on the faults of a configuration as they are', async () => {
    const fault = new ConfigError(['plugins.strict/x: is wrong']);
    expect(await rejection(start([plugin('strict', { start: () => Promise.reject(fault) })]))).to.equal(fault);
  });

  const refused: Record<string, { readonly plugins: readonly LoadedPlugin[]; readonly says: string }> = {
    'a service that was promised and is not there': {
      plugins: [plugin('gives', { provides: { count: counting } })],
      says: 'it declares the service counting but did not return it',
    },
    'a service that nobody provides': {
      plugins: [plugin('needs', { requires: { count: counting } })],
      says: 'plugins.needs: requires the service counting, which no plugin provides',
    },
    'a service of two owners': {
      plugins: [plugin('one', { provides: { count: counting } }), plugin('two', { provides: { count: counting } })],
      says: 'plugins.two: provides the service counting, which one provides too',
    },
    'a circle': {
      plugins: [
        plugin('egg', { requires: { hen: counting }, provides: { egg: defineService('egg') } }),
        plugin('hen', { requires: { egg: defineService('egg') }, provides: { hen: counting } }),
      ],
      says: 'plugins.egg: has a circular dependency: egg → hen → egg',
    },
  };
  for (const [name, { plugins, says }] of Object.entries(refused))
    it(`refuses ${name}`, async () => {
      expect(String(await rejection(start(plugins)))).to.include(says);
    });
});
