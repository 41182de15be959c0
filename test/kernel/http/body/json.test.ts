import { expect } from 'chai';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PlatformError } from '../../../../kernel/error.ts';
import { findFault } from '../../../../kernel/http/body/json.ts';
import { maxDepth, parseJson } from '../../../../kernel/http/body/json.ts';

function refusal(text: string): string | undefined {
  try {
    parseJson(text);
  } catch (error) {
    expect(error).to.be.instanceOf(PlatformError);
    expect((error as PlatformError).code).to.equal('malformed_json');
    return (error as PlatformError).message;
  }
  return undefined;
}

// The refusals told a second time, the slow and plain way: by a walk through the parsed tree.
function refusedThings(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth === maxDepth) return true;
  return Object.entries(value).some(
    ([key, member]) => key === '__proto__' || !key.isWellFormed() || refusedThings(member, depth + 1),
  );
}

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the JSON reader', () => {
  const refused = [
    { name: 'duplicate keys', text: '{"a":1,"b":2,"a":3}', detail: /"a" appears twice/ },
    { name: 'duplicate keys by an escape', text: '{"a":1,"\\u0061":2}', detail: /"a" appears twice/ },
    { name: 'duplicate keys deep inside', text: '[{"x":{"k":1 , "k" : 2}}]', detail: /"k" appears twice/ },
    {
      name: 'duplicate keys beyond many',
      text: `{${[...Array(40).keys(), 7].map((n) => `"k${n}":{}`).join()}}`,
      detail: /"k7" appears twice/,
    },
    { name: '__proto__', text: '{"__proto__":{"admin":true}}', detail: /__proto__/ },
    { name: '__proto__ by an escape', text: '{"\\u005f_proto__":1}', detail: /__proto__/ },
    { name: '65 levels', text: `${'['.repeat(65)}${']'.repeat(65)}`, detail: /64 levels at position 64/ },
    { name: 'half a surrogate pair', text: '{"a":"\\ud83d"}', detail: /surrogate/ },
    { name: 'half a surrogate pair in a key', text: '{"\\udc00":1}', detail: /surrogate/ },
    { name: 'a number beyond a double', text: '[1e400]', detail: /number at position 1/ },
    { name: 'a long number beyond a double', text: `[${'9'.repeat(400)}]`, detail: /number at position 1/ },
    { name: 'a trailing comma', text: '{"a":1,}', detail: /position 7; expected a key/ },
    { name: 'an early end', text: '{"a":', detail: /ends too early; expected a value/ },
    { name: 'nothing', text: '', detail: /ends too early/ },
    { name: 'two values', text: '1 2', detail: /position 2/ },
    { name: 'a missing colon', text: '{"a" 1}', detail: /position 5; expected a colon/ },
    { name: 'a raw control character', text: '["a\nb"]', detail: /position 3/ },
    { name: 'a byte order mark', text: '\ufeff{}', detail: /position 0/ },
  ];
  for (const { name, text, detail } of refused) {
    it(`refuses ${name} and says where`, () => expect(refusal(text)).to.match(detail));
  }

  const accepted = [
    { name: 'the same key in two objects', text: '[{"a":1},{"a":{"a":2}}]' },
    { name: 'a string that looks like a key', text: '["__proto__","a","a",{"b":"{\\"b\\":1}"}]' },
    { name: '64 levels', text: `${'['.repeat(64)}${']'.repeat(64)}` },
    { name: 'brackets within strings', text: `{"a":"${'['.repeat(100)}"}` },
    { name: 'quotes after backslashes', text: '{"a\\\\":"\\\\\\"","a\\"":"\\\\"}' },
    { name: 'a whole surrogate pair by escapes', text: '"\\ud83d\\ude00"' },
    { name: 'large and small numbers', text: '[1e308,-0,1E-400,0.5e+3,0.5e308]' },
    { name: 'scalars', text: ' "x" ' },
  ];
  for (const { name, text } of accepted) {
    it(`accepts ${name}`, () => expect(parseJson(text)).to.deep.equal(JSON.parse(text)));
  }

  it('does not quote the body, which may hold a secret', () => {
    expect(refusal('{"password":"hunter2" x')).to.not.match(/hunter2|password/);
  });

  it('stays linear with many keys, quotes and brackets', () => {
    const many = `{${Array.from({ length: 60_000 }, (_, n) => `"key${n}":"\\\\"`).join()}}`;
    expect(Object.keys(parseJson(many) as object)).to.have.length(60_000);
    expect(refusal('['.repeat(1_000_000))).to.match(/ends too early/);
  });

  it('costs a body of many keys little more than JSON.parse does, also once V8 has optimised it', () => {
    const bench = join(import.meta.dirname, '../../../bench/json.ts');
    const printed = execFileSync(process.execPath, [bench], { encoding: 'utf8' });
    const costs = [...printed.matchAll(/ (\d+) keys +([\d.]+) +([\d.]+)/g)].map(([, ...cells]) => cells.map(Number));
    expect(costs.map(([keys]) => keys)).to.deep.equal([1_000, 10_000, 100_000]);
    // Processor time of the same text by both: no clock is asked. It was a hundredfold.
    for (const [, reader = 0, plain = 0] of costs) expect(reader, printed).to.be.lessThan(20 * plain);
  });

  it('accepts what JSON.parse accepts minus the refused things, with equal values', () => {
    const text = fc.oneof(
      fc.json({ depthSize: 'large', stringUnit: 'binary' }),
      // Values printed with spaces of every kind.
      fc
        .tuple(fc.jsonValue({ stringUnit: 'grapheme' }), fc.constantFrom(0, 1, '\t'))
        .map(([value, indent]) => JSON.stringify(value, null, indent)),
      // Near misses: soups of JSON's own tokens.
      fc
        .array(
          fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            ' ',
            '"a"',
            '"\\u0061"',
            '"b\\\\"',
            '"\\ud800"',
            '1',
            '-',
            '1e999',
            'true',
            'nul',
            '"__proto__"',
            '"\n"',
          ),
          { maxLength: 12 },
        )
        .map((tokens) => tokens.join('')),
    );
    fc.assert(
      fc.property(text, (source) => {
        const detail = refusal(source);
        if (!accepts(source)) {
          expect(detail).to.be.a('string');
          return;
        }
        const value: unknown = JSON.parse(source);
        if (detail === undefined) {
          expect(refusedThings(value)).to.equal(false);
          expect(parseJson(source)).to.deep.equal(value);
          return;
        }
        expect(refusedThings(value) || detail.includes('twice'), `${source}: ${detail}`).to.equal(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('finds duplicates wherever an object is built with one key twice', () => {
    const key = fc.string({ maxLength: 5 }).filter((name) => name.isWellFormed() && name !== '__proto__');
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 40 }), fc.nat(), (keys, pick) => {
        const members = keys.map((name) => `${JSON.stringify(name)}:{"v":[]}`);
        const again = keys[pick % keys.length] ?? '';
        const escaped = [...again]
          .map((char) =>
            char
              .split('')
              .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
              .join(''),
          )
          .join('');
        expect(refusal(`{${members.join()}}`)).to.equal(undefined);
        expect(refusal(`{${[...members, `"${escaped}" : 0`].join()}}`)).to.match(/appears twice/);
      }),
      { numRuns: 300 },
    );
  });

  it('finds a fault in no text that JSON.parse accepts, except its end', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findFault(text)).to.include({
          position: text.length,
          expected: 'a comma or the end of the object, array or text',
        });
      }),
    );
  });
});
