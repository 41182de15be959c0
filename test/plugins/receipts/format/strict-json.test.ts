import { expect } from 'chai';
import { parseStrict } from '../../../../plugins/receipts/format/strict-json.ts';

const nested = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;

describe('strict JSON', () => {
  for (const text of [
    '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}',
    '{"a":"a","b":"a:","c":":"}',
    '{"a\\"":1,"a":2}',
    '["{\\"a\\":1,\\"a\\":2}"]',
    '{"a":{"b":1},"b":{"b":1}}',
    nested(64),
    `${nested(63)}`,
    `[${Array.from({ length: 99 }, () => '[]').join(',')}]`,
    `[${Array.from({ length: 99 }, () => '{}').join(',')}]`,
    'null',
  ])
    it(`is what ${text.slice(0, 40)} is`, () => {
      expect(parseStrict(text)).to.deep.equal(JSON.parse(text));
    });

  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"b":{"a":1,"c":[{}],"a":2}}',
    '{"a":[1],"a":2}',
    '{"a":{},"a":2}',
    nested(65),
    nested(65, '{"a":', '}').replace(/\{"a":\}/, '{}'),
    '{"a":1',
    '',
  ])
    it(`is not what ${text.slice(0, 40) || 'nothing'} is`, () => {
      expect(parseStrict(text)).to.equal(undefined);
    });
});
