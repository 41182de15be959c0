import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { until } from '../../helpers/until.ts';
import { swapping } from './swapping.ts';

describe('a swap that is not made', () => {
  const home = swapping();

  const failing: readonly {
    readonly name: string;
    readonly provider: string;
    readonly arrange?: () => void;
    readonly is: readonly [number, string];
  }[] = [
    { name: 'an unknown name', provider: 'nobody', is: [422, 'invalid_provider'] },
    { name: 'another capability', provider: 'outbox', is: [422, 'invalid_provider'] },
    {
      name: 'a missing secret',
      provider: 'sealed',
      arrange: () => rmSync(home.secretFile),
      is: [422, 'invalid_provider'],
    },
    {
      name: 'an open that throws',
      provider: 'c',
      arrange: () => void (home.recorder.behaviour['c'] = { open: () => Promise.reject(new Error('refused')) }),
      is: [502, 'probe_failed'],
    },
    {
      name: 'an open that hangs',
      provider: 'c',
      arrange: () => void (home.recorder.behaviour['c'] = { open: () => new Promise(() => undefined) }),
      is: [502, 'probe_failed'],
    },
    {
      name: 'a probe that fails',
      provider: 'c',
      arrange: () => void (home.recorder.behaviour['c'] = { probe: () => Promise.reject(new Error('no')) }),
      is: [502, 'probe_failed'],
    },
    {
      name: 'a probe that hangs',
      provider: 'c',
      arrange: () => void (home.recorder.behaviour['c'] = { probe: () => new Promise(() => undefined) }),
      is: [502, 'probe_failed'],
    },
  ];
  for (const { name, provider, arrange, is } of failing) {
    it(`a candidate with ${name} leaves routing as it was: ${is[0]} ${is[1]}`, async () => {
      arrange?.();
      const routing = async () => {
        const { last_swap: _, ...rest } = await home.status();
        return JSON.stringify(rest);
      };
      const before = await routing();
      const { status: code, body } = await home.swap(provider);
      expect([code, body.code]).to.deep.equal([...is]);
      expect(await routing()).to.equal(before);
      expect((await home.run('x')).body.outputs.by).to.equal('a');
      if (is[0] === 502) {
        const failed = (await home.platform.call('GET', `/swaps/${body.swap_id}`)).body;
        expect(failed).to.include({ state: 'failed', to: provider });
        const { predicate } = (await home.platform.call('GET', `/receipts/${failed.receipt_id}`)).body.statement;
        expect(predicate.facts).to.include({ state: 'failed', to: provider });
        expect(JSON.stringify(predicate)).not.to.include('refused');
      }
      // What hangs in open has given nothing back yet; all else is released.
      if (name !== 'an open that hangs') expect(home.recorder.open.size).to.equal(2);
    });
  }

  it('a late opening is closed when it comes after all', async () => {
    let proceed = (): void => undefined;
    home.recorder.behaviour['c'] = { open: () => new Promise((resolve) => (proceed = resolve)) };
    expect((await home.swap('c')).status).to.equal(502);
    proceed();
    await until(
      () => home.recorder.open.size,
      (open) => open === 2,
    );
  });
});
