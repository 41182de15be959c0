import { expect } from 'chai';
import { Chains, type Head } from '../../../../plugins/receipts/issue/chain.ts';

const head = (sequence: number): Head => ({ sequence, digest: `sha256:${sequence}` });

describe('the heads of the chains', () => {
  let rows: Map<string, Head>;
  let read: string[];
  let chains: Chains;
  const loaded = (orbisetId: string, origin: string): Head | undefined => {
    void chains.load(orbisetId, origin);
    return chains.head(orbisetId, origin);
  };
  beforeEach(() => {
    rows = new Map([['o1 a', head(7)]]);
    read = [];
    chains = new Chains((orbisetId, origin) => {
      read.push(`${origin} ${orbisetId}`);
      return rows.get(`${origin} ${orbisetId}`);
    });
  });

  it('are read once each, an empty chain too, and apart for each log', () => {
    for (let round = 0; round < 2; round++)
      expect([loaded('a', 'o1'), loaded('a', 'o2'), loaded('b', 'o1')]).to.deep.equal([head(7), undefined, undefined]);
    expect(read).to.deep.equal(['o1 a', 'o2 a', 'o1 b']);
  });

  it('move on within a batch, and stay there once it is durable', () => {
    chains.extend('a', 'o1', head(8));
    expect(chains.head('a', 'o1')).to.deep.equal(head(8));
    chains.settle();
    expect(loaded('a', 'o1')).to.deep.equal(head(8));
    expect(read).to.deep.equal([]);
  });

  it('are what the rows say after a batch that is gone, whatever was read or added before', () => {
    expect(loaded('a', 'o1')).to.deep.equal(head(7));
    chains.extend('a', 'o1', head(8));
    rows.set('o1 a', head(9));
    chains.reset();
    expect(loaded('a', 'o1')).to.deep.equal(head(9));
    chains.extend('b', 'o1', head(1));
    chains.reset();
    expect(loaded('b', 'o1')).to.equal(undefined);
  });

  it('take up no more memory than those of 10 000 chains: beyond that all are read again', () => {
    const extendAll = (count: number): void => {
      for (let at = 0; at < count; at++) chains.extend(`c${at}`, 'o1', head(1));
      chains.settle();
    };
    extendAll(10_000);
    expect(loaded('c0', 'o1')).to.deep.equal(head(1));
    expect(read).to.deep.equal([]);
    extendAll(10_001);
    expect(loaded('c0', 'o1')).to.equal(undefined);
    expect(read).to.deep.equal(['o1 c0']);
  });
});
