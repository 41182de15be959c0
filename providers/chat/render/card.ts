import type { Block } from '../message/blocks.ts';
import { layout, type Line, type Run } from './layout.ts';

/** Elements of an Adaptive Card 1.4, and whom Teams notifies. */
export interface Card {
  readonly body: readonly object[];
  readonly entities: readonly object[];
}

/**
 * Writes a message as elements of an Adaptive Card: one per line. Text is in `TextRun`s, which know no Markdown
 * (adaptivecards.io/explorer/TextRun.html), so that nothing in it is markup; only mentions need a `TextBlock`.
 */
export function cardOf(blocks: readonly Block[]): Card {
  const lines = layout(blocks);
  const mentions = lines.flatMap(({ runs }) => runs.filter(({ mention }) => mention !== undefined));
  const body: object[] = [];
  if (mentions.length > 0)
    body.push({ type: 'TextBlock', text: mentions.map(({ text }) => tag(text)).join(' '), wrap: true });
  let apart = true;
  for (let at = 0; at < lines.length; ) {
    const [line] = lines.slice(at, at + 1);
    if (line === undefined) break;
    const box = line.code ?? line.quote;
    let end = at + 1;
    if (box !== undefined) while (end < lines.length && (lines[end]?.code ?? lines[end]?.quote) === box) end += 1;
    const items = lines.slice(at, end).flatMap((one) => elementOf(one, apart));
    if (box === undefined) body.push(...items);
    else body.push({ type: 'Container', style: 'emphasis', items });
    apart = items.length === 0;
    at = end;
  }
  return { body, entities: mentions.map(entityOf) };
}

// An empty line is space above the next one.
function elementOf(line: Line, apart: boolean): readonly object[] {
  const runs = line.runs.filter(({ mention, text }) => mention === undefined && text !== '');
  if (runs.every(({ text }) => text.trim() === '')) return [];
  const inlines = runs.map((run) => inlineOf(run, line.code !== undefined));
  return [{ type: 'RichTextBlock', inlines, ...(apart ? {} : { spacing: 'None' }) }];
}

function inlineOf({ styles, text, url }: Run, monospace: boolean): object {
  return {
    type: 'TextRun',
    text,
    ...(styles.includes('strong') ? { weight: 'Bolder' } : {}),
    ...(styles.includes('emphasis') ? { italic: true } : {}),
    ...(styles.includes('strike') ? { strikethrough: true } : {}),
    ...(monospace || styles.includes('code') ? { fontType: 'Monospace' } : {}),
    ...(url === undefined ? {} : { selectAction: { type: 'Action.OpenUrl', url } }),
  };
}

const tag = (name: string): string => `<at>${name}</at>`;

// learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format, "Mention support": the text of
// the entity is the text in the card; `id` is a Microsoft Entra object id or a user principal name.
function entityOf({ mention = '', text }: Run): object {
  return { type: 'mention', text: tag(text), mentioned: { id: mention, name: text } };
}
