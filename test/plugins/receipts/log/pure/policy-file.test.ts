import { expect } from 'chai';
import { formatVkey, noteKey } from '../../../../../plugins/receipts/log/pure/note.ts';
import { hasQuorum, parsePolicy } from '../../../../../plugins/receipts/log/pure/policy-file.ts';

const log = formatVkey(noteKey('log.example', new Uint8Array(32)));
const witness = formatVkey(noteKey('w.example', new Uint8Array(32), 'cosignature'));
const witnesses = `witness v ${witness}\nwitness w ${witness}\n`;
const padded = (length: number): string => `quorum none\n#${'x'.repeat(length - 13)}`;

describe('the lines of a trust file', () => {
  for (const [what, text] of [
    ['nothing but a quorum', 'quorum none'],
    ['4,096 lines', `quorum none${'\n'.repeat(4095)}`],
    ['1,048,576 characters', padded(1_048_576)],
    ['lines that end with a carriage return', `log ${log}\r\nquorum none\r\n`],
    ['tabs and spaces between its words', `log\t ${log}\n  quorum \t none`],
    ['a URL after a log and after a witness', `log ${log} https://x\nwitness w ${witness} https://y\nquorum none`],
    ['a group of as many as it has', `${witnesses}group g 2 v w\nquorum g`],
  ] as const)
    it(`may have ${what}`, () => {
      expect(parsePolicy(text)).to.not.equal(undefined);
    });

  for (const [what, text] of [
    ['4,097 lines', `quorum none${'\n'.repeat(4096)}`],
    ['1,048,577 characters', padded(1_048_577)],
    ['two words after a log', `log ${log} https://x more\nquorum none`],
    ['two words after a witness', `witness w ${witness} https://y more\nquorum none`],
    ['a word after the quorum', 'quorum none more'],
    ['a quorum without a name', 'quorum'],
    ['two quorums', `${witnesses}quorum v\nquorum w`],
    ['a witness named none', `witness none ${witness}\nquorum none`],
    ['a group named none', `${witnesses}group none any v\nquorum none`],
    ['a group with the name of a witness', `${witnesses}group v any w\nquorum v`],
    ['a witness with the name of a group', `${witnesses}group g any w\nwitness g ${witness}\nquorum g`],
    ['a group without a member', 'group g any\nquorum g'],
    ['a group of all of nobody', 'group g all\nquorum g'],
    ['a group of more than it has', `${witnesses}group g 3 v w\nquorum g`],
    ['a number with a leading zero', `${witnesses}group g 01 v\nquorum g`],
    ['a number of five digits', `${witnesses}group g 10000 v\nquorum g`],
    ['a word that every object has', 'constructor x\nquorum none'],
  ] as const)
    it(`may not have ${what}`, () => {
      expect(parsePolicy(text)).to.equal(undefined);
    });

  it('require no witness by the quorum none, and the named one by any other', () => {
    expect(parsePolicy(`${witnesses}quorum none`)).to.not.have.property('quorum');
    const policy = parsePolicy(`${witnesses}group g 2 v w\nquorum g`) ?? expect.fail('not read');
    const [v, w] = [...policy.witnesses.values()] as [ReturnType<typeof noteKey>, ReturnType<typeof noteKey>];
    expect([[v, w], [v], [w], []].map((by) => hasQuorum(policy, by))).to.deep.equal([true, false, false, false]);
  });
});
