import { expect } from 'chai';
import { providerKey } from '../../../../plugins/runtime/facts/provider-key.ts';

describe('the key that a provider is handed', () => {
  it('is the same for all calls of a run at one provider, and another for any other', () => {
    const key = providerKey('run_1', 'a');
    expect(key).to.match(/^[a-z2-7]{52}$/);
    expect(providerKey('run_1', 'a')).to.equal(key);
    for (const other of [providerKey('run_1', 'b'), providerKey('run_2', 'a'), providerKey('run_', '1\0a')])
      expect(other).not.to.equal(key);
  });

  it('is base32 of SHA-256 of both, as published', () => {
    // printf 'run_1\0a' | sha256sum | xxd -r -p | base32
    expect(providerKey('run_1', 'a')).to.equal('i5t7gkir4qkwggt2zu44uub7smgzaideg443ux7wylw2rfj5fadq');
  });
});
