import { expect } from 'chai';
import { compilerFiles, gate, limits } from '../../../../plugins/policy/folder/gate.ts';

const file = (path: string, text: string) => ({ path, bytes: Buffer.from(text) });
const codes = (...files: readonly ReturnType<typeof file>[]): string[] =>
  gate(files).diagnostics.map(({ code, file: path }) => `${path} ${code}`);
const nested = (depth: number): string => `package a\n\nx := ${'['.repeat(depth)}${']'.repeat(depth)}\n`;

describe('the gate before the compiler', () => {
  it('has limits that operators read of', () => {
    expect(limits).to.deep.equal({ files: 200, bytes: 256 * 1024, nesting: 200 });
  });

  it('lets pass what nests as deep as allowed, and refuses one bracket more', () => {
    expect(codes(file('a.rego', nested(limits.nesting)))).to.deep.equal([]);
    expect(codes(file('a.rego', nested(limits.nesting + 1)))).to.deep.equal(['a.rego too_nested']);
  });

  it('counts what is open, not what was closed, of every kind of bracket', () => {
    const beside = (pair: string): string => `package a\n\n# ${pair.repeat(limits.nesting * 2)}\n`;
    expect(codes(...['()', '[]', '{}'].map((pair, index) => file(`p${index}.rego`, beside(pair))))).to.deep.equal([]);
    const open = (mark: string) => file('a.rego', `package a\n\n# ${mark.repeat(limits.nesting + 1)}\n`);
    for (const mark of ['(', '[', '{']) expect(codes(open(mark)), mark).to.deep.equal(['a.rego too_nested']);
    // What is closed and was never open hides nothing that follows.
    const hidden = `# ${')'.repeat(limits.nesting)}${'('.repeat(limits.nesting + 1)}\n`;
    expect(codes(file('a.rego', hidden))).to.deep.equal(['a.rego too_nested']);
  });

  it('takes a file of the greatest size and as many files as allowed', () => {
    const full = (bytes: number) => file('a.rego', `#${'x'.repeat(bytes - 1)}`);
    expect(codes(full(limits.bytes))).to.deep.equal([]);
    expect(codes(full(limits.bytes + 1))).to.deep.equal(['a.rego file_too_large']);
    const many = (count: number) => Array.from({ length: count }, (_, index) => file(`p${index}.rego`, ''));
    expect(codes(...many(limits.files))).to.deep.equal([]);
    const { diagnostics, files } = gate(many(limits.files + 1));
    expect(diagnostics.map(({ code }) => code)).to.deep.equal(['too_many_files']);
    expect(files).to.have.length(limits.files);
  });

  for (const [path, fault] of [
    ['a.rego', undefined],
    ['a/b_c.rego', undefined],
    ['a.txt', 'wrong_name'],
    ['A.rego', 'wrong_name'],
    ['validate.rego', 'wrong_name'],
    ['format.rego', 'wrong_name'],
    ['test.rego', 'wrong_name'],
    ['-.rego', 'wrong_name'],
    [`${'a'.repeat(100)}.rego`, undefined],
    [`${'a'.repeat(101)}.rego`, 'wrong_name'],
  ] as const)
    it(`${fault === undefined ? 'takes' : 'refuses'} a file of the name ${path}`, () =>
      expect(codes(file(path, 'package a\n'))).to.deep.equal(fault === undefined ? [] : [`${path} ${fault}`]));

  it('refuses two files of one id, and a file that is no UTF-8', () => {
    expect(codes(file('a/b.rego', 'package a\n'), file('a.b.rego', 'package b\n'))).to.deep.equal([
      'a.b.rego id_defined_twice',
    ]);
    const { diagnostics, files } = gate([{ path: 'a.rego', bytes: new Uint8Array([0xff]) }]);
    expect([diagnostics.map(({ code }) => code), files]).to.deep.equal([['not_utf8'], []]);
  });

  it('tells what to do where it knows it', () => {
    const [named] = gate([file('a.txt', '')]).diagnostics;
    expect(named).to.include({ severity: 'error', line: 1, column: 1 }).and.to.have.property('hint');
    const [text] = gate([{ path: 'a.rego', bytes: new Uint8Array([0xff]) }]).diagnostics;
    expect(text).to.not.have.property('hint');
    const many = Array.from({ length: limits.files + 1 }, (_, index) => file(`p${index}.rego`, ''));
    expect(gate(many).diagnostics[0]).to.not.have.any.keys('file', 'line', 'column');
  });

  it('gives the compiler the policies and their tests, and no data', () => {
    const sources = ['a/b.rego', 'a/b_test.rego', 'data.json'].map((path) => ({ path, source: path }));
    expect(compilerFiles(sources)).to.deep.equal([
      { id: 'a.b', path: 'a/b.rego', source: 'a/b.rego', test: false },
      { id: 'a.b_test', path: 'a/b_test.rego', source: 'a/b_test.rego', test: true },
    ]);
  });

  it('merges data files and refuses what is no object, is reserved, or is defined twice', () => {
    const { data, diagnostics } = gate([file('data/a.json', '{"x":1}'), file('data/b.json', '{"y":[2]}')]);
    expect([data, diagnostics]).to.deep.equal([{ x: 1, y: [2] }, []]);
    for (const text of ['[]', 'null', '1', '{'])
      expect(codes(file('data/a.json', text)), text).to.deep.equal(['data/a.json wrong_data']);
    expect(codes(file('data/a.json', '{"orb":1}'))).to.deep.equal(['data/a.json reserved_data']);
    expect(codes(file('data/a.json', '{"__proto__":1}'))).to.deep.equal(['data/a.json reserved_data']);
    expect(codes(file('data/a.json', '{"x":1}'), file('data/b.json', '{"x":1}'))).to.deep.equal([
      'data/b.json data_defined_twice',
    ]);
  });
});
