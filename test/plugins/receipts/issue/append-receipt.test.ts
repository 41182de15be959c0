import { expect } from 'chai';
import { statementLimit } from '../../../../plugins/receipts/contract.ts';
import { refuseMisfit } from '../../../../plugins/receipts/issue/append-receipt.ts';
import { completeStatement, type SplitStatement } from '../../../../plugins/receipts/issue/split-statement.ts';
import type { ToAppend } from '../../../../plugins/receipts/issue/receipt-row.ts';

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
const split: SplitStatement = {
  head: '{"a":1}',
  middle: '{"b":2}',
  tail: '{"c":3}',
  predicateType: 't',
  subjects: '[]',
};
const lengthOf = (statement: SplitStatement): number => Object.values(statement).join('').length;

describe('a statement that the writer is given', () => {
  it('may have as many bytes as leave room for what the writer adds, and not one more', () => {
    for (const letter of ['x', '\u00e4', '\u4e2d']) {
      const bytes = Buffer.byteLength(letter);
      const text = letter.repeat(Math.floor(most / bytes)) + 'x'.repeat(most % bytes);
      expect(refusal(text), letter).to.equal('');
      expect(refusal(`${text}x`), letter).to.include(`has ${statementLimit + 1} bytes; at most ${statementLimit}`);
    }
  });

  it('is measured in all its parts when it is split', () => {
    for (const part of ['head', 'middle', 'tail', 'predicateType', 'subjects'] as const) {
      const long = { ...split, [part]: split[part] + ' '.repeat(most - lengthOf(split)) };
      expect(refusal(long), part).to.equal('');
      expect(refusal({ ...long, [part]: `${long[part]} ` }), part).to.include('are attested');
    }
  });

  it('is within the limit when it is complete, wherever it stands in its chain', () => {
    const long = { ...split, tail: `{"c":${' '.repeat(most - lengthOf(split))}3}` };
    expect(refusal(long)).to.equal('');
    const complete = completeStatement(long, Number.MAX_SAFE_INTEGER, `sha256:${'0'.repeat(64)}`);
    expect(Buffer.byteLength(complete)).to.be.at.most(statementLimit);
  });

  it('names a key of this installation', () => {
    expect(() => refuseMisfit(fact('{}'), (kid) => kid !== 'k1')).to.throw('not of this installation');
  });
});
