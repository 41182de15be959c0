import { expect } from 'chai';
import { definePlugin, type AccessRequest } from '../../../../kernel/index.ts';
import type { Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import { runtime } from '../../../../plugins/runtime/contract.ts';
import { Descriptions, withoutLongTexts } from '../../../../plugins/runtime/run/described.ts';
import { startPlatform } from '../../../helpers/platform.ts';

const orb = { orb_id: 'a.b@1.0.0' } as Orb;

describe('descriptions of calls', () => {
  it('are asked once for each Orb whether they concern it', () => {
    const descriptions = new Descriptions();
    expect(descriptions.of(orb)).to.deep.equal([]);
    let asked = 0;
    const one = { concerns: (other: Orb) => (asked++, other.orb_id === 'c.d@1.0.0'), describe: () => ({}) };
    descriptions.add(one);
    const other = { orb_id: 'c.d@1.0.0' } as Orb;
    for (const found of [descriptions.of(orb), descriptions.of(orb)]) expect(found).to.deep.equal([]);
    for (const found of [descriptions.of(other), descriptions.of(other)]) expect(found).to.deep.equal([one]);
    expect(asked).to.equal(2);
  });

  const rows: readonly (readonly [name: string, value: unknown, most: number, shown: unknown])[] = [
    ['a short text', 'abc', 3, 'abc'],
    ['a text with as many characters and more bytes', 'äbc', 3, { $omitted_bytes: 4 }],
    ['a list', ['a', 'abcd', 1], 3, ['a', { $omitted_bytes: 4 }, 1]],
    ['members', { a: { b: 'abcd', c: null }, d: true }, 3, { a: { b: { $omitted_bytes: 4 }, c: null }, d: true }],
  ];
  for (const [name, value, most, shown] of rows)
    it(`leave out long texts: ${name}`, () => expect(withoutLongTexts(value, most)).to.deep.equal(shown));

  it('leave what has no long text as it is', () => {
    const value = { a: [{ b: 'abc' }], c: null };
    expect(withoutLongTexts(value, 3)).to.equal(value);
  });

  it('are joined for the question of a run and of its preview, and deny it when one throws', async () => {
    const seen: AccessRequest['context'][] = [];
    let fails = false;
    const plugin = definePlugin({
      name: 'decider',
      requires: { runtime },
      start({ hooks, services }) {
        const concerns = ({ orb_id }: Orb): boolean => orb_id === 'demo.echo@1.0.0';
        services.runtime.describe({ concerns, describe: ({ inputs }) => ({ texts: Object.keys(inputs) }) });
        services.runtime.describe({
          concerns,
          async describe({ candidates, streams }) {
            if (fails) throw new Error('away');
            return { said: { providers: candidates.map(({ provider }) => provider), streams } };
          },
        });
        hooks.authorize.tap('decider', ({ context }) => {
          seen.push(context);
          return { allow: true, policies: [], warns: 0, shadow_denies: 0 };
        });
        return {};
      },
    });
    const platform = await startPlatform({
      plugins: [plugin],
      platform: { providers: { echo: { adapter: 'echo/local' } }, authorize: 'decider' },
    });
    try {
      const ask = (path: string) =>
        platform.call('POST', `/orbisets/default/${path}`, { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hi' } });
      const said = { providers: ['echo'], streams: false };
      for (const path of ['execute', 'preview']) {
        const { status, body } = await ask(path);
        expect(status).to.equal(200);
        expect(body.described).to.deep.equal(path === 'preview' ? { said, texts: ['text'] } : undefined);
        expect(seen.at(-1)).to.deep.include({ said, texts: ['text'], inputs: { text: 'hi' } });
      }
      fails = true;
      const { status, body } = await ask('execute');
      expect([status, body.code, seen.length]).to.deep.equal([503, 'policy_unavailable', 2]);
    } finally {
      await platform.stop();
    }
  });
});
