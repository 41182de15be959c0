/** Text that may stand in a page as it is; only `html` and `trusted` make it. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A value for a place in a template: text is escaped, undefined and false give nothing, a list gives its items. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

/** Builds a piece of a page; every value that is not Html is escaped, in texts and in quoted attributes alike. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let built = texts[0] ?? '';
  parts.forEach((part, index) => (built += shown(part) + (texts[index + 1] ?? '')));
  return new Html(built);
}

/** Marks the program's own text, such as a stylesheet, as safe for a page; never call it with text from outside. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** Escapes text for a page and removes invisible characters, such as controls and bidi overrides. */
export function escapeHtml(text: string): string {
  return withoutUnseen(text).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Removes invisible characters that could mislead a reader about the text beside them. */
export function withoutUnseen(text: string): string {
  return text.replace(unseen, '');
}

// Tab and newline stay. U+202A–202E and U+2066–2069 reorder the text after them; UTF-8 cannot encode lone surrogates.
const unseen = /[\p{Cs}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function shown(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(shown).join('');
  return escapeHtml(String(part));
}
