import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './folder.ts';

/** One fenced block of a guide; `heading` is the one it stands under. */
export interface Block {
  readonly heading: string;
  readonly language: string;
  readonly code: string;
  /** The file it is to be saved as: named in a comment on its first line, or, before JSON, in the line above it. */
  readonly file?: string;
}

/** Reads a guide; `path`: from the root of the checkout. */
export function readGuide(path: string): string {
  return readFileSync(join(packageDir, path), 'utf8');
}

/** Lists the fenced blocks of a guide, in order. */
export function guideBlocks(path: string): readonly Block[] {
  let heading = '';
  const found = [...readGuide(path).matchAll(/^#+ (.+)$|(?:^([^\n`]*`[^`\n]+`[^\n]*:)\n\n)?^```(\w*)\n([^]*?)^```$/gm)];
  return found.flatMap(([, title, above = '', language = '', code = '']) => {
    heading = title ?? heading;
    if (title !== undefined) return [];
    const file = language === 'json' ? /`([\w./-]+\.json)`:$/.exec(above)?.[1] : /^(?:\/\/|#) (\S+)\n/.exec(code)?.[1];
    return [{ heading, language, code, ...(file === undefined || language === 'sh' ? {} : { file }) }];
  });
}

/** Reads the table under a heading of a guide: its cells, the head left out. */
export function tableUnder(path: string, heading: string): readonly (readonly string[])[] {
  const text = readGuide(path);
  const title = new RegExp(`^#+ ${heading}$`, 'm').exec(text);
  const table = /(?:^\|.*\n)+/m.exec(text.slice(title?.index ?? text.length))?.[0] ?? '';
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
