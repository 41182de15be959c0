import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';

/** Phrases that a reader with English as a second language does not understand at once, and what to write instead. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bof which\b/i, 'whose, with'],
  [/\btakes room\b/i, 'uses disk space'],
  [/\bwhom it speaks for\b/i, 'the caller it acts for'],
  [/\bneeds you\b/i, 'needs attention'],
  [/\bsuch as stands\b/i, 'another sentence'],
  [/\bnobody knows\b/i, 'is unknown'],
  [/\bstands? for\b/i, 'represents, means, replaces'],
];

/** Column heads and labels, each the whole text of a literal or an element. */
const labels: readonly (readonly [RegExp, string])[] = [
  ['Acts', 'Actions'],
  ['Concerns', 'Affects'],
  ['Began', 'Started'],
  ['Ends', 'Expires'],
  ['Took', 'Duration'],
  ['Made', 'Created'],
  ['May name', 'Can report on'],
  ['is needed', 'Required'],
].map(([label = '', better = '']) => [new RegExp(`(?:'${label}'|"${label}"|>${label}<)`), better] as const);

/** Texts that are frozen, and this list. */
const exempt = /^(?:test\/words\.test\.ts|test\/kernel\/store\/oldest\.sql|test\/released\/|test\/golden\/)/;
const sources = ['kernel', 'plugins', 'providers', 'test'].map((folder) => `${folder}/**/*.{ts,cts,go,md,css}`);
const texts = ['README.md', 'CHANGELOG.md', 'data/*.json', 'policies/*.rego', ...sources];

describe('the words of what a person reads', () => {
  it('are those of the field, in pages, texts and comments', () => {
    expect(found(texts, phrases)).to.deep.equal([]);
  });

  it('are short names of the field in column heads and labels', () => {
    expect(found(['plugins/**/*.ts', 'kernel/**/*.ts'], labels)).to.deep.equal([]);
  });
});

function found(globs: readonly string[], words: readonly (readonly [RegExp, string])[]): readonly string[] {
  return globSync([...globs], { cwd: packageDir, exclude: ['**/node_modules'] })
    .filter((path) => !exempt.test(path))
    .flatMap((path) => {
      const text = flowing(readFileSync(join(packageDir, path), 'utf8'));
      return words.flatMap(([word, better]) => {
        const hit = word.exec(text);
        return hit === null ? [] : [`${path}: “${text.slice(hit.index - 30, hit.index + 50)}”: write ${better}`];
      });
    });
}

/** The text without the breaks of its lines, so that a phrase is found that begins in one line and ends in the next. */
function flowing(text: string): string {
  return text.replace(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ');
}
