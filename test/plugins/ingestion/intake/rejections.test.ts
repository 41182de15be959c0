import { expect } from 'chai';
import { createRejections } from '../../../../plugins/ingestion/intake/rejections.ts';

function world() {
  let now = 0;
  const rejections = createRejections({ now: () => now, monotonic: () => now });
  const fail = (count: number, address = '192.0.2.1', source = 'src_a') => {
    for (let time = 0; time < count; time++) rejections.note(source, address, { size: time, digest: 'sha256:0' });
  };
  const tired = (address = '192.0.2.1', source = 'src_a') => rejections.tired(source, address);
  return { rejections, fail, tired, pass: (ms: number) => void (now += ms) };
}

describe('refused requests at a hook', () => {
  it('tire it of an address at the sixtieth in a minute, at that source alone', () => {
    const { fail, tired } = world();
    fail(59);
    expect(tired()).to.equal(false);
    fail(1);
    expect(tired()).to.equal(true);
    expect([tired('192.0.2.2'), tired('192.0.2.1', 'src_b')]).to.deep.equal([false, false]);
  });

  it('are forgotten a minute after the first', () => {
    const { fail, pass, tired } = world();
    fail(60);
    pass(59_999);
    expect(tired()).to.equal(true);
    pass(1);
    expect(tired()).to.equal(false);
    fail(59);
    expect(tired()).to.equal(false);
  });

  it('are counted by source, and the newest twenty kept', () => {
    const { fail, rejections } = world();
    fail(30);
    const { count, recent } = rejections.of('src_a');
    expect([count, recent.length, recent[0]?.size, recent.at(-1)?.size]).to.deep.equal([30, 20, 29, 10]);
    expect(rejections.of('src_b')).to.deep.equal({ count: 0, recent: [] });
  });

  it('are remembered of the newest 10,000 addresses', () => {
    const { fail, tired } = world();
    fail(60);
    for (let index = 0; index < 9_999; index++) fail(1, `198.51.100.${index}`);
    expect(tired()).to.equal(true);
    fail(1, '203.0.113.1');
    expect(tired()).to.equal(false);
  });
});
