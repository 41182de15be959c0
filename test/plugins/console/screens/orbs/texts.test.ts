import { expect } from 'chai';
import fc from 'fast-check';
import { matchesOrb } from '../../../../../kernel/access.ts';
import { diffOf } from '../../../../../plugins/console/app/screens/orbs/diff-text.ts';
import { lineOf, readJson } from '../../../../../plugins/console/app/screens/orbs/json-text.ts';
import {
  mentions,
  namesOrb,
  nextVersion,
  rowsOf,
  scopeFor,
} from '../../../../../plugins/console/app/screens/orbs/words.ts';

const orb = 'notify.email@1.0.0';

describe('the texts of the screens of Orbs', () => {
  it('read JSON as the language does, and know the line of each part', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const read = readJson(text);
        if (read.fault !== undefined) throw new Error(read.fault.detail);
        expect(JSON.stringify(read.value)).to.equal(JSON.stringify(JSON.parse(text)));
        const lines = text.split('\n');
        for (const [pointer, line] of read.lines) {
          const last = pointer.split('/').at(-1) ?? '';
          const name = JSON.stringify(last.replaceAll('~1', '/').replaceAll('~0', '~'));
          const isItem = /^\d+$/.test(last);
          if (pointer !== '' && !isItem) expect(lines[line - 1]).to.include(name);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('refuse what the language refuses, wherever it is broken', () => {
    const accepts = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const cut = fc.tuple(fc.json(), fc.nat(60), fc.string({ maxLength: 2 })).map(([text, at, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + put.length);
    });
    let refused = 0;
    fc.assert(
      fc.property(cut, (text) => {
        const { fault } = readJson(text);
        if (fault !== undefined) refused += 1;
        if (fault === undefined || !/given twice|nested deeper/.test(fault.detail))
          expect(fault === undefined, text).to.equal(accepts(text));
      }),
      { numRuns: 500 },
    );
    expect(refused).to.be.above(50);
  });

  for (const [text, place, detail] of [
    ['', '1:1', 'a value is missing here'],
    ['{\n  "a": 1,\n}', '3:1', 'a name in double quotes is missing here'],
    ['{\n  "a" 1\n}', '2:7', '":" is missing here'],
    ['{"a": 1\n "b": 2}', '2:2', '"," or "}" is missing here'],
    ['[1, 2', '1:6', '"," or "]" is missing here'],
    ['{}\n{}', '2:1', 'the text must end here'],
    ['{"a": 1,\n "a": 2}', '2:2', '"a" is given twice'],
    ['{"a": "\t"}', '1:7', 'a value is missing here'],
  ] as const)
    it(`name the place of a fault: ${JSON.stringify(text)}`, () => {
      const { fault } = readJson(text);
      expect(`${fault?.line}:${fault?.column}`).to.equal(place);
      expect(fault?.detail).to.equal(detail);
    });

  it('lead from a pointer of a problem to its line, or to the nearest part around it', () => {
    const read = readJson('{\n  "a/b": {\n    "c": [\n      1,\n      {"d": 2}\n    ]\n  }\n}');
    if (read.fault !== undefined) throw new Error(read.fault.detail);
    const places = ['', '#', '#/a~1b', '#/a~1b/c', '#/a~1b/c/1/d', '#/a~1b/c/7', '#/a~1b/none', '#/none'];
    expect(places.map((one) => lineOf(read.lines, one))).to.deep.equal([1, 1, 2, 3, 5, 3, 2, 1]);
  });

  it('hold a deep or long text without a hang', () => {
    expect(readJson('['.repeat(100_000)).fault?.detail).to.equal('it is nested deeper than 64');
    expect(readJson(`"${'x'.repeat(1_000_000)}`).fault?.detail).to.equal('a value is missing here');
  });

  it('write a difference from which the new text follows', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '{', ' d'), { maxLength: 14 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffOf(before, after);
        expect(diff === '').to.equal(before === after);
        expect(patched(before, diff)).to.equal(after);
      }),
      { numRuns: 500 },
    );
    expect(diffOf('a\nb\nc', 'a\nB\nc')).to.equal('@@ -1 +1 @@\n a\n-b\n+B\n c');
    const long = Array.from({ length: 9000 }, (_, at) => `${at}`).join('\n');
    expect(patched(long, diffOf(long, long.replaceAll('1', 'x')))).to.equal(long.replaceAll('1', 'x'));
  });

  it('match patterns as the server does', () => {
    const name = fc.constantFrom('a', 'b', 'a.b', 'a.bc').map((text) => `${text}.x@1.0.0`);
    const pattern = fc.oneof(name, fc.constantFrom('a.*', 'a.b.*', 'b.*', 'c.*'));
    fc.assert(fc.property(pattern, name, (one, id) => namesOrb(one, id) === matchesOrb(one, id)));
    expect(namesOrb('*', orb)).to.equal(true);
  });

  for (const [scopes, found] of [
    [['*'], '*'],
    [['runs:read', 'orbs:execute'], 'orbs:execute'],
    [['orbs:execute:notify.*'], 'orbs:execute:notify.*'],
    [[`orbs:execute:${orb}`], `orbs:execute:${orb}`],
    [['orbs:execute:notify.email@1.0.1', 'orbs:execute:demo.*', 'orbs:read'], undefined],
  ] as const)
    it(`find the scope by which a key runs an Orb: ${scopes.join(' ')}`, () => {
      expect(scopeFor(scopes, orb)).to.equal(found);
    });

  for (const [source, named] of [
    ['input.resource.id == "notify.email@1.0.0"', true],
    ['startswith(input.resource.id, "notify.email@")', true],
    ['input.resource.properties.name == "notify.email"', true],
    ['"notify.email@2.0.0"', false],
    ['"other.notify.email"', false],
    ['"notify.emails" "notify.email-fast"', false],
    ['"notify.emails" or "notify.email"', true],
  ] as const)
    it(`find an Orb in a policy: ${source}`, () => {
      expect(mentions(source, orb)).to.equal(named);
    });

  it('write the next version', () => {
    expect(['a.b@1.0.0', 'a.b@1.2.9', 'a.b@0.1.0-rc.1'].map(nextVersion)).to.deep.equal([
      'a.b@1.0.1',
      'a.b@1.2.10',
      'a.b@0.1.1',
    ]);
  });

  it('list the members of a schema with the inner ones', () => {
    const file = { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 255 } } };
    const rows = rowsOf({
      type: 'object',
      required: ['to'],
      properties: {
        to: { type: 'string', format: 'email', description: 'Who gets it' },
        kind: { enum: ['a', 'b'] },
        files: { type: 'array', items: file },
        more: { type: 'object', properties: { count: { type: ['integer', 'null'], minimum: 1 } } },
        any: true as never,
      },
    });
    expect(rows.map(({ name, type, required, says }) => [name, type, required, says].join(' | '))).to.deep.equal([
      'to | string | true | Who gets it — format email',
      'kind | "a" | "b" | false | ',
      'files | array of object | false | ',
      'files[].name | string | true | at most 255 characters',
      'more | object | false | ',
      'more.count | integer | null | false | at least 1',
      'any | any | false | ',
    ]);
  });
});

/** Applies a difference whose hunks name the first line of each side. */
function patched(before: string, diff: string): string {
  const old = before === '' ? [] : before.split('\n');
  const made: string[] = [];
  let at = 0;
  for (const line of diff === '' ? [] : diff.split('\n')) {
    const begin = /^@@ -(\d+) \+\d+ @@$/.exec(line)?.[1];
    if (begin !== undefined) while (at < Number(begin) - 1) made.push(old[at++] ?? '');
    else if (line.startsWith('+')) made.push(line.slice(1));
    else {
      expect(line.slice(1)).to.equal(old[at]);
      if (line.startsWith(' ')) made.push(line.slice(1));
      at += 1;
    }
  }
  return [...made, ...old.slice(at)].join('\n');
}
