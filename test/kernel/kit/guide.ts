import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../../kernel/config.ts';

/** One fenced block of the guide; `heading` is the one it stands under. */
export interface Block {
  readonly heading: string;
  readonly language: string;
  readonly code: string;
}

/** Reads the fenced blocks of the authors' guide, in order. */
export function guideBlocks(): readonly Block[] {
  const text = readFileSync(join(packageDir, 'kernel/kit/README.md'), 'utf8');
  let heading = '';
  return [...text.matchAll(/^#+ (.+)$|^```(\w*)\n([^]*?)^```$/gm)].flatMap(([, title, language = '', code = '']) => {
    heading = title ?? heading;
    return title === undefined ? [{ heading, language, code }] : [];
  });
}
