/** The mail server that is called, as its settings name it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Never shown, in whatever form the server repeats it. */
  readonly auth: { readonly user: string; readonly password: string } | undefined;
}

/** Writes host and port of a server. */
export function addressOf({ host, port }: SmtpServer): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const longest = 160;
// Of a shorter password, each place in a sentence that is left out would tell a part.
const shortestHidden = 4;
// As long as no word of a sentence: an encoded credential, or a digest of one.
const encoded = /^[\w+/=-]{20,}$/u;

/**
 * Quotes what a server said, for the operator: one line without the login, without a part of it, and without texts that
 * may be one in another form. Undefined when nothing of it can be shown.
 */
export function wordsOf(response: string | undefined, { auth }: SmtpServer): string | undefined {
  if (response === undefined || (auth !== undefined && auth.password.length < shortestHidden)) return undefined;
  const hidden = auth === undefined ? [] : formsOf(auth);
  const line = oneLine(response.slice(0, 1000));
  const whole = hidden.reduce((text, form) => without(text, form), line);
  const words = whole.split(' ').map((word) => (isHidden(word, hidden) ? '…' : word));
  const shown = words.join(' ').replaceAll('"', "'").slice(0, longest);
  return shown === '' ? undefined : `the server said: "${shown}"`;
}

function formsOf({ user, password }: { readonly user: string; readonly password: string }): readonly string[] {
  const texts = [user, password, `\0${user}\0${password}`, `${user}\0${user}\0${password}`];
  const forms = texts.flatMap((text) => [
    text,
    oneLine(text),
    ...(['base64', 'base64url', 'hex'] as const).map((how) => Buffer.from(text).toString(how).replace(/=+$/u, '')),
  ]);
  return forms.map(lowerCase).sort((one, other) => other.length - one.length);
}

function without(text: string, form: string): string {
  return form.length < shortestHidden ? text : cut(text, lowerCase(text).split(form), form.length);
}

// Puts the parts between the hidden ones together, as they were written.
function cut(text: string, parts: readonly string[], hidden: number): string {
  let from = 0;
  const written = parts.map(({ length }) => {
    const part = text.slice(from, from + length);
    from += length + hidden;
    return part;
  });
  return written.join('…');
}

// Letter by letter, so that a letter is the same in every word; one that is longer in lower case stays as it is, so that
// both texts have the same places.
function lowerCase(text: string): string {
  const lower = (letter: string): string => {
    const found = letter.toLowerCase();
    return found.length === letter.length ? found : letter;
  };
  return [...text].map(lower).join('');
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
}

function isHidden(word: string, hidden: readonly string[]): boolean {
  const core = lowerCase(word).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  if (encoded.test(core)) return true;
  return hidden.some((form) => form === core || (core.length >= shortestHidden && form.includes(core)));
}
