import type { Part } from './part.ts';

const line = `${'-'.repeat(80)}\n`;

/** Writes the page of the licences of parts. Parts with one text are listed together above it. */
export function noticeOf(parts: readonly Part[], version: string): string {
  const texts = new Map<string, Part[]>();
  for (const part of [...parts].sort((one, other) => (one.purl < other.purl ? -1 : 1))) {
    const text = part.text ?? '';
    texts.set(text, [...(texts.get(text) ?? []), part]);
  }
  const sections = [...texts].map(([text, own]) => {
    const names = own.map((part) => nameOf(part, parts)).join('\n');
    return `${line}${names}\n${text === '' ? '' : `\n${text}\n`}`;
  });
  const head = `Agent Orb Platform ${version}\n\nLicence: Apache-2.0. It holds these parts, each under its own licence.\n`;
  return [head, ...sections].join('\n');
}

function nameOf({ licence, name, of, version }: Part, parts: readonly Part[]): string {
  const holder = parts.find(({ purl }) => purl === of);
  return `${name} ${version} (${licence})${holder === undefined ? '' : `, part of ${holder.name}`}`;
}
