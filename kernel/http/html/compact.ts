/**
 * Removes comments and unnecessary whitespace from a module of plain JavaScript. It does not change strings, templates,
 * regular expressions or line breaks that may end a statement. In templates of `html` a run of space with a line's end
 * becomes that line's end, as HTML reads it.
 */
export function compact(source: string): string {
  const scanner = new Scanner(source);
  scanner.code();
  return scanner.written();
}

// After these a slash begins a regular expression; after a name, a number or a closing bracket it divides.
const beforeRegex =
  /(?:^|[([{,;=:!&|?+\-*%~^<>]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))$/;
const space = /\s+/y;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const text = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const word = /[\w$]+/y;
// A line break after (first) or before (second) these characters cannot end a statement.
const goesOn = /[{([,=:?&|<*%!]$/;
const continues = /[)\]},.;:?&|=*%<>]/;
const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))+/y;

class Scanner {
  readonly #source: string;
  readonly #parts: string[] = [];
  #at = 0;
  /** The last piece of code: what a slash or a line's end means depends on it. */
  #last = '';

  constructor(source: string) {
    this.#source = source;
  }

  written(): string {
    return this.#parts.join('').trim();
  }

  /** Reads code to the end of the source, or to the brace that closes an expression in a template. */
  code(): void {
    for (let depth = 0; this.#at < this.#source.length;) {
      const next = this.#source[this.#at];
      if (next === '}' && depth === 0 && this.#inTemplate > 0) return;
      if (this.#space() || this.#take(text) || this.#take(word)) continue;
      if (next === '`') this.#template();
      else if (next === '/' && beforeRegex.test(this.#last) && this.#take(regex)) continue;
      else {
        if (next === '{') depth += 1;
        if (next === '}') depth -= 1;
        this.#put(next ?? '');
      }
    }
  }

  #inTemplate = 0;

  #template(): void {
    const ofPage = this.#last === 'html';
    this.#put('`');
    while (this.#at < this.#source.length && this.#source[this.#at] !== '`') {
      const found = this.#match(templateText);
      if (found !== undefined) {
        this.#parts.push(ofPage ? found.replace(/[ \t]*\n\s*/g, '\n') : found);
        this.#at += found.length;
        continue;
      }
      this.#put('${');
      this.#inTemplate += 1;
      this.code();
      this.#inTemplate -= 1;
      this.#put('}');
    }
    this.#put('`');
  }

  // A run of spaces and comments becomes one space, one line's end, or nothing.
  #space(): boolean {
    const from = this.#at;
    let lines = false;
    for (;;) {
      const found = this.#match(space) ?? this.#match(comment);
      if (found === undefined) break;
      lines ||= found.includes('\n');
      this.#at += found.length;
    }
    if (this.#at === from) return false;
    const next = this.#source[this.#at] ?? '';
    if (lines && !goesOn.test(this.#last) && !continues.test(next)) this.#parts.push('\n');
    else if (!lines && isApart(this.#last, next)) this.#parts.push(' ');
    return true;
  }

  #take(pattern: RegExp): boolean {
    const found = this.#match(pattern);
    if (found === undefined) return false;
    this.#put(found);
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0];
  }

  #put(piece: string): void {
    this.#parts.push(piece);
    this.#last = piece;
    this.#at += piece.length;
  }
}

// Words and numbers, signs that would become another one, and slashes that would become a comment stay apart.
function isApart(last: string, next: string): boolean {
  if (/[\w$]$/.test(last)) return /[\w$]/.test(next) || (next === '.' && /\d$/.test(last));
  return /[+\-/]$/.test(last) && /[+\-/]/.test(next);
}
