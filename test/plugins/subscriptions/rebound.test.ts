import { Resolver } from 'node:dns/promises';
import { mock } from 'node:test';
import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { startBed, type Bed } from './bed.ts';

describe('a subscription whose name leads inward later', () => {
  let bed: Bed;
  before(async () => {
    bed = await startBed();
  });
  after(async () => {
    mock.restoreAll();
    await bed?.stop();
  });

  it('is resolved by DNS when it is made and again when it is called, and is not called', async () => {
    const asked: string[] = [];
    mock.method(Resolver.prototype, 'resolve4', (name: string) => {
      asked.push(name);
      return Promise.resolve([asked.length === 1 ? '93.184.215.14' : '10.0.0.7']);
    });
    mock.method(Resolver.prototype, 'resolve6', () => Promise.reject(new Error('ENODATA')));
    const made = await bed.subscribe('https://hooks.example.com/in');
    expect(asked).to.deep.equal(['hooks.example.com']);
    await bed.run('rebound');
    const [callback] = await until(
      () => bed.callbacks(made),
      ([first]) => first?.failure !== undefined,
      'a try that failed',
    );
    expect(callback?.failure).to.include('private, local or reserved');
  });
});
