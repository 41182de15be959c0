/**
 * Keeps a text from notifying anybody: puts an invisible WORD JOINER after each @ that begins a name (`@everyone`,
 * `@ada`), for vendors that look for names in the text. E-mail addresses stay as they are.
 */
export function quiet(text: string): string {
  return text.replaceAll(/(?<![\p{L}\p{N}_])@(?=[\p{L}\p{N}_])/gu, '@\u2060');
}
