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
  const mentions = lines.flatMap(({ runs }) => runs.filter(isMention));
  const notified = { type: 'TextBlock', text: mentions.map(({ text }) => tag(text)).join(' '), wrap: true };
  const body = elementsOf(lines);
  return { body: mentions.length === 0 ? body : [notified, ...body], entities: mentions.map(entityOf) };
}

const isMention = ({ mention }: Run): boolean => mention !== undefined;

// An empty line is space above the next one.
function elementsOf(lines: readonly Line[], monospace = false): readonly object[] {
  const elements: object[] = [];
  let apart = true;
  for (let at = 0, end = 0; at < lines.length; at = end) {
    const { code, quote, runs } = lines[at] ?? { runs: [] };
    const box = code ?? quote;
    end = at + 1;
    if (box !== undefined) while (lines[end]?.code === box || lines[end]?.quote === box) end += 1;
    const element = box === undefined ? textOf(runs, monospace) : boxOf(lines.slice(at, end), code !== undefined);
    if (element !== undefined) elements.push(apart || box !== undefined ? element : { ...element, spacing: 'None' });
    apart = element === undefined;
  }
  return elements;
}

function boxOf(lines: readonly Line[], isCode: boolean): object {
  const inner = lines.map(({ runs }) => ({ runs }));
  return { type: 'Container', style: 'emphasis', items: elementsOf(inner, isCode) };
}

function textOf(runs: readonly Run[], monospace: boolean): object | undefined {
  const first = runs.findIndex((run) => !isMention(run) && run.text.trim() !== '');
  if (first < 0) return undefined;
  const kept = runs.some(isMention) ? runs.slice(first).filter((run) => !isMention(run)) : runs;
  return { type: 'RichTextBlock', inlines: kept.map((run) => inlineOf(run, monospace)) };
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
