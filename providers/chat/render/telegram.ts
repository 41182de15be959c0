import type { Block } from '../message/blocks.ts';
import { layout, type Line, type Run, type Style } from './layout.ts';
import { quiet } from './quiet.ts';

/** A styled part of a text: core.telegram.org/bots/api#messageentity. Offset and length are in UTF-16 code units. */
export interface TelegramEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: { readonly id: number; readonly is_bot: boolean; readonly first_name: string };
}

/** A message for Telegram. */
export interface TelegramText {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
}

const types: Readonly<Record<Style, string>> = {
  strong: 'bold',
  emphasis: 'italic',
  strike: 'strikethrough',
  code: 'code',
};

/** Writes a message as text and entities. Ids of mentions: the number of a user, or `@name`. */
export function telegramText(blocks: readonly Block[]): TelegramText {
  const entities: TelegramEntity[] = [];
  let text = '';
  let block: Pick<Line, 'code' | 'quote'> = {};
  const begins = { code: 0, quote: 0 };
  const end = (kind: 'code' | 'quote'): void => {
    const length = text.length - begins[kind];
    const ended = block[kind];
    if (ended === undefined || length === 0) return;
    const language = ended.kind === 'code' && ended.language !== undefined ? { language: ended.language } : {};
    entities.push({ type: ended.kind === 'code' ? 'pre' : 'blockquote', offset: begins[kind], length, ...language });
  };
  for (const [index, line] of [...layout(blocks), {} as Partial<Line>].entries()) {
    const changed = (['code', 'quote'] as const).filter((kind) => line[kind] !== block[kind]);
    changed.forEach(end);
    if (line.runs === undefined) break;
    if (index > 0) text += '\n';
    for (const kind of changed) begins[kind] = text.length;
    block = line;
    for (const run of line.runs) {
      const shown = shownText(run);
      if (line.code === undefined) entities.push(...entitiesOf(run, text.length, shown.length));
      text += shown;
    }
  }
  return { text, entities };
}

function shownText({ mention, text }: Run): string {
  if (mention === undefined) return quiet(text);
  return mention.startsWith('@') ? mention : text;
}

function entitiesOf({ mention, styles, text, url }: Run, offset: number, length: number): readonly TelegramEntity[] {
  if (length === 0) return [];
  const place = { offset, length };
  if (mention !== undefined && !mention.startsWith('@'))
    return [{ type: 'text_mention', ...place, user: { id: Number(mention), is_bot: false, first_name: text } }];
  // `code` may not be combined with other entities.
  const allowed = styles.includes('code') ? (['code'] as const) : styles;
  const styled = allowed.map((style) => ({ type: types[style], ...place }));
  return url === undefined || styles.includes('code') ? styled : [{ type: 'text_link', ...place, url }, ...styled];
}
