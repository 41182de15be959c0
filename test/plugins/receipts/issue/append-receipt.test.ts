import { expect } from 'chai';
import { statementLimit } from '../../../../plugins/receipts/contract.ts';
import { refuseMisfit, type ToAppend } from '../../../../plugins/receipts/issue/append-receipt.ts';
import { type SplitStatement } from '../../../../plugins/receipts/issue/split-statement.ts';
import { completeStatement } from './complete-statement.ts';

// What the writer may add: the place in the chain, a longer name of the log, the frame of the statement.
const room = 320;
const most = statementLimit - room;

const fact = (statement: ToAppend['statement']): ToAppend => ({
  ...{ kind: 'run', receipt_id: 'rec_1', origin: 'ins_1.orb/receipts/0', timestamp: 't', kid: 'k1', statement },
});
const refusal = (statement: ToAppend['statement']): string => {
  try {
    refuseMisfit(fact(statement), () => true);
    return '';
  } catch (error) {
    return String(error);
  }
};
const split: SplitStatement = { shape: '{"a":1\n,"b":2,"sequence":\n,"c":3}', values: ['', '', ''] };
const lengthOf = ({ shape, values }: SplitStatement): number => shape.length + values.join('').length;

describe('a statement that the writer is given', () => {
  it('may have as many bytes as leave room for what the writer adds, and not one more', () => {
    for (const letter of ['x', '\u00e4', '\u4e2d']) {
      const bytes = Buffer.byteLength(letter);
      const text = letter.repeat(Math.floor(most / bytes)) + 'x'.repeat(most % bytes);
      expect(refusal(text), letter).to.equal('');
      expect(refusal(`${text}x`), letter).to.include(`has ${statementLimit + 1} bytes; the limit is ${statementLimit}`);
    }
  });

  it('is measured in all its parts when it is split', () => {
    const room = ' '.repeat(most - lengthOf(split));
    const longer = (at: number, text: string) => split.values.map((value, one) => (one === at ? text : value));
    const parts = [
      (text: string) => ({ ...split, shape: split.shape + text }),
      ...[0, 1, 2].map((at) => (text: string) => ({ ...split, values: longer(at, text) })),
    ];
    for (const [number, lengthened] of parts.entries()) {
      expect(refusal(lengthened(room)), `${number}`).to.equal('');
      expect(refusal(lengthened(`${room} `)), `${number}`).to.include('the limit is');
    }
  });

  it('is measured by the length that comes with a number', () => {
    const bytes = most - split.values.join('').length;
    expect(refusal({ ...split, shape: { number: 1, bytes } })).to.equal('');
    expect(refusal({ ...split, shape: { number: 1, bytes: bytes + 1 } })).to.include(`has ${statementLimit + 1} bytes`);
  });

  it('is within the limit when it is complete, wherever it stands in its chain', () => {
    const long = { ...split, shape: split.shape + ' '.repeat(most - lengthOf(split)) };
    expect(refusal(long)).to.equal('');
    const complete = completeStatement(long, Number.MAX_SAFE_INTEGER, `sha256:${'0'.repeat(64)}`);
    expect(complete).to.include('"sequence":9007199254740991,"c":3}');
    expect(Buffer.byteLength(complete)).to.be.at.most(statementLimit);
  });

  it('names a key of this installation', () => {
    expect(() => refuseMisfit(fact('{}'), (kid) => kid !== 'k1')).to.throw('another installation');
  });
});
