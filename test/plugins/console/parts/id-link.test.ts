import { expect } from 'chai';
import { placeOf } from '../../../../plugins/console/app/parts/id-link.ts';

const ulid = '01M8NCVH1YCE4VT8AS066STN3W';

describe('the screen of an id', () => {
  for (const [prefix, place] of [
    ['run', 'runs'],
    ['rec', 'receipts'],
    ['dec', 'decisions'],
    ['apr', 'approvals'],
    ['inc', 'incidents'],
    ['dlv', 'deliveries'],
    ['src', 'sources'],
    ['key', 'keys'],
  ] as const)
    it(`of ${prefix}_… is below ${place}`, () => {
      expect(placeOf(`${prefix}_${ulid}`)).to.equal(`/console/${place}/${prefix}_${ulid}`);
    });

  for (const [text, why] of [
    [`prn_${ulid}`, 'a principal has no screen'],
    ['run_1', 'no id'],
    [`run_${ulid.toLowerCase()}`, 'no id'],
    [` run_${ulid}`, 'more than an id'],
    ['default', 'a name'],
  ] as const)
    it(`is none for ${text.trim()}: ${why}`, () => {
      expect(placeOf(text)).to.equal(undefined);
    });
});
