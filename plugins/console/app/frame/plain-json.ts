// Controls, spaces of no width, and marks that turn the order of a text around: a reader would not see them.
const unseen = /[\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * Writes JSON whose invisible characters are escaped, for texts that a person copies into a program: its strings mean the
 * same in JSON, JavaScript and Python.
 */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(unseen, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
