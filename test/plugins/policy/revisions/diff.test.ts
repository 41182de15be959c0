import { expect } from 'chai';
import { diffFiles } from '../../../../plugins/policy/revisions/diff.ts';

const file = (lines: readonly string[]) => [{ path: 'a.rego', source: lines.map((line) => `${line}\n`).join('') }];
const diffOf = (from: readonly string[], to: readonly string[]): readonly string[] =>
  diffFiles(file(from), file(to))[0]?.diff.split('\n') ?? [];
const marked = (diff: readonly string[], ...marks: readonly string[]): readonly string[] =>
  diff.filter((line) => marks.includes(line.charAt(0))).map((line) => line.slice(1));

/** All texts of one to three lines, each of them `a` or `b`. */
function* texts(): Generator<readonly string[]> {
  for (let length = 1; length <= 3; length += 1)
    for (let bits = 0; bits < 2 ** length; bits += 1)
      yield Array.from({ length }, (_, at) => ((bits >> at) & 1 ? 'b' : 'a'));
}

describe('the difference of two policy files', () => {
  it('holds both texts whole and no line twice, however lines repeat', () => {
    for (const from of texts())
      for (const to of texts()) {
        const diff = diffOf(from, to);
        if (from.join() === to.join()) {
          expect(diff).to.deep.equal([]);
          continue;
        }
        expect(marked(diff, ' ', '-'), `${from.join()} to ${to.join()}`).to.deep.equal(from);
        expect(marked(diff, ' ', '+'), `${from.join()} to ${to.join()}`).to.deep.equal(to);
      }
  });

  it('keeps as many lines as can be kept', () => {
    const kept = (from: string, to: string): string => marked(diffOf([...from], [...to]), ' ').join('');
    expect(kept('xabcy', 'zabcw')).to.equal('abc');
    expect(kept('xabcdy', 'zaXbYdw')).to.equal('abd');
    expect(kept('xabcy', 'zcabw')).to.equal('ab');
    expect(kept('xcaby', 'zabcw')).to.equal('ab');
  });

  it('replaces the whole when comparing line by line would cost too much', () => {
    const text = (length: number, mark: string) =>
      Array.from({ length }, (_, at) => (at === 1000 ? 'same' : `${mark}${at}`));
    expect(marked(diffOf(text(2000, 'a'), text(1999, 'b')), ' ')).to.deep.equal(['same']);
    const all = diffOf(text(2001, 'a'), text(1999, 'b'));
    expect(marked(all, ' ')).to.deep.equal([]);
    expect([marked(all, '-'), marked(all, '+')]).to.deep.equal([text(2001, 'a'), text(1999, 'b')]);
  });

  it('of a text that was cut or grew at its end is what went or came', () => {
    expect(diffOf(['a', 'b'], ['a'])).to.deep.equal([' a', '-b']);
    expect(diffOf(['a'], ['a', 'b'])).to.deep.equal([' a', '+b']);
    expect(diffOf(['b', 'a'], ['a'])).to.deep.equal(['-b', ' a']);
  });

  it('shows three equal lines before and after what changed', () => {
    const lines = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    expect(diffOf(lines, lines.with(4, 'x'))).to.deep.equal([' 2', ' 3', ' 4', '-5', '+x', ' 6', ' 7', ' 8']);
  });

  it('says which files came, went and changed, by path', () => {
    const both = { path: 'c.rego', source: 'c\n' };
    const [from, to] = [
      [...file(['a']), both],
      [
        { path: '0.rego', source: 'b\n' },
        { ...both, source: 'd\n' },
      ],
    ];
    expect(diffFiles(from, to)).to.deep.equal([
      { path: '0.rego', change: 'added', diff: '+b' },
      { path: 'a.rego', change: 'removed', diff: '-a' },
      { path: 'c.rego', change: 'changed', diff: '-c\n+d' },
    ]);
  });
});
