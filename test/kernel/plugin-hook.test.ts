import { expect } from 'chai';
import { createHooks, kernelHooks } from '../../kernel/hooks.ts';
import { defineEvent, defineQuestion, hookFaults } from '../../kernel/plugin-hook.ts';

const printed = defineEvent<{ readonly pages: number }>('printed');
const choosePaper = defineQuestion<string, 'a4' | 'letter'>('choosePaper');
const press = { name: 'press', hooks: [printed, choosePaper] };

describe('hooks of plugins', () => {
  const open = () => {
    const failures: string[] = [];
    const hooks = createHooks({ failed: (hook, tap) => void failures.push(`${hook} ${tap}`) }, [press]);
    return { failures, hooks, taps: hooks.taps({ deciding: false }), calls: hooks.callsOf(press) };
  };

  it('tell of events; a listener that fails is isolated', () => {
    const { calls, failures, taps } = open();
    const heard: number[] = [];
    taps.of(printed).tap('broken', () => {
      throw new Error('no paper');
    });
    taps.of(printed).tap('counter', ({ pages }) => void heard.push(pages));
    calls.tell(printed, { pages: 3 });
    expect([heard, failures]).to.deep.equal([[3], ['printed broken']]);
  });

  it('ask; the first answer that is not undefined wins, and an error is attributed', async () => {
    const { calls, taps } = open();
    taps.of(choosePaper).tap('silent', () => undefined);
    expect(await calls.ask(choosePaper, 'Paris')).to.equal(undefined);
    taps.of(choosePaper).tap('first', (city) => (city === 'Paris' ? 'a4' : undefined));
    taps.of(choosePaper).tap('last', () => {
      throw new Error('no idea');
    });
    expect(await calls.ask(choosePaper, 'Paris')).to.equal('a4');
    const error = await calls.ask(choosePaper, 'Boston').catch((failed: unknown) => String(failed));
    expect(error).to.contain('last (choosePaper): no idea');
  });

  it('are called by their owner alone', async () => {
    const { hooks } = open();
    const stranger = hooks.callsOf({ name: 'stranger', hooks: [] });
    expect(() => stranger.tell(printed, { pages: 1 })).to.throw('the plugin stranger does not own the hook printed');
    const error = await stranger.ask(choosePaper, 'Paris').catch((failed: unknown) => String(failed));
    expect(error).to.contain('does not own the hook choosePaper');
  });

  it('of a plugin that is left out can be tapped, and are never called', () => {
    const taps = createHooks({ failed: () => undefined }).taps({ deciding: false });
    taps.of(printed).tap('counter', () => expect.fail('nobody prints'));
  });

  it('are tapped in start alone, like those of the kernel', () => {
    const { hooks, taps } = open();
    hooks.seal();
    expect(() => taps.of(printed).tap('late', () => undefined)).to.throw('late taps printed after the start');
  });

  it('have one owner for each name', () => {
    const other = { name: 'other', hooks: [defineEvent('printed'), defineEvent('attest')] };
    expect(hookFaults([press, other], kernelHooks)).to.deep.equal([
      'plugins.other: the hook printed belongs to plugins.press',
      'plugins.other: the hook attest belongs to the kernel',
    ]);
  });
});
