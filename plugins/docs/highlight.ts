import { html, type Html } from '../../kernel/index.ts';

const doubled = /"(?:\\.|[^"\\])*"/.source;
const quoted = /'(?:\\.|[^'\\])*'/.source;
const number = /\b\d[\w.]*/.source;

// The pattern of a language; the name of a group is the class of what it matches.
function grammar(parts: Readonly<Partial<Record<'comment' | 'string' | 'value' | 'word', string>>>): RegExp {
  const groups = Object.entries(parts).map(([name, pattern]) => `(?<${name}>${pattern})`);
  return new RegExp(groups.join('|'), 'gm');
}

const words = (list: string): string => String.raw`\b(?:${list.replaceAll(' ', '|')})\b`;

const script = grammar({
  comment: String.raw`\/\/.*|\/\*[^]*?\*\/`,
  string: String.raw`${doubled}|${quoted}|${'`'}(?:\\.|[^\\${'`'}])*${'`'}`,
  value: `${number}|${words('true false null undefined')}`,
  word: words(
    'as async await break case catch class const continue default else export extends finally for from function if ' +
      'import in interface let new of readonly return switch throw try type typeof void while yield',
  ),
});

const grammars: Readonly<Record<string, RegExp>> = {
  sh: grammar({
    comment: '(?<=^|[ \\t])#.*',
    string: `${doubled}|'[^']*'`,
    value: String.raw`(?<=\s)--?[A-Za-z][\w-]*|\$\{?\w+\}?`,
    word: words(
      'cat cd cp curl do done else export fi for grep if in kill mkdir node npm npx openssl sed sleep then until',
    ),
  }),
  json: grammar({ word: `${doubled}(?=\\s*:)`, string: doubled, value: `-?${number}|${words('true false null')}` }),
  ts: script,
  js: script,
  py: grammar({
    comment: '#.*',
    string: `"""[^]*?"""|${doubled}|${quoted}`,
    value: `${number}|${words('True False None')}`,
    word: words(
      'as async await class def else except finally for from if import in lambda not or raise return try while with',
    ),
  }),
  go: grammar({
    comment: String.raw`\/\/.*`,
    string: doubled,
    value: `${number}|${words('true false nil')}`,
    word: words('const defer else for func if import package range return struct type var'),
  }),
  yaml: grammar({ comment: '#.*', string: `${doubled}|${quoted}`, word: '^[ -]*[\\w.-]+(?=:)', value: number }),
  rego: grammar({
    comment: '#.*',
    string: doubled,
    value: `${number}|${words('true false null')}`,
    word: words('contains default else every if import in not package some with'),
  }),
};

/** Colours a text of a known language by classes; another stays as it is. */
export function highlighted(text: string, language: string): Html {
  const known = Object.hasOwn(grammars, language) ? grammars[language] : undefined;
  if (known === undefined) return html`${text}`;
  const parts: (string | Html)[] = [];
  let end = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(known)) {
    const [name = ''] = Object.keys(groups).filter((group) => groups[group] !== undefined);
    parts.push(text.slice(end, index), html`<span class="hl-${name}">${found}</span>`);
    end = index + found.length;
  }
  return html`${[...parts, text.slice(end)]}`;
}
