import type { Block, Inline } from '../message/blocks.ts';
import { around, written, type Dialect } from './lines.ts';
import { quiet } from './quiet.ts';

// All that Discord, Mattermost and Rocket.Chat read as markup: marks anywhere, and those that begin a line.
const escaped = (text: string): string =>
  text
    .replaceAll(/[\\`*_~|[\]<>]|&(?=#?\w+;)/gu, '\\$&')
    .replaceAll(/^(\s*)([-+#])/gmu, '$1\\$2')
    .replaceAll(/^(\s*\d+)([.)])/gmu, '$1\\$2');

const linked = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29');

const markdown = (literal: (text: string) => string, mention: Dialect['mention']): Dialect => ({
  text: (text) => escaped(literal(text)),
  strong: around('**'),
  emphasis: around('*'),
  strike: around('~~'),
  code: (text) => (text.includes('`') ? escaped(literal(text)) : `\`${literal(text)}\``),
  fence: (text, language = '') =>
    text.includes('```') ? escaped(literal(text)) : `\`\`\`${language}\n${literal(text)}\n\`\`\``,
  link: (inner, url) => `[${inner.replaceAll('\n', ' ')}](${linked(literal(url))})`,
  mention,
  bullet: '- ',
});

const common = markdown(quiet, ({ id }) => id);

/** Writes a message in CommonMark, in which only its mentions notify anybody, as `people` has them. */
export function markdownText(blocks: readonly Block[]): string {
  return written(blocks, common);
}

// docs.discord.com/developers/reference#message-formatting. `allowed_mentions` decides who is notified, so that
// nothing is changed in the text.
const discord = markdown((text) => text, discordMention);

/** Writes a message for Discord. Ids of mentions: a user's, `&` and a role's, `everyone`, `here`. */
export function discordText(blocks: readonly Block[]): string {
  return written(blocks, discord);
}

function discordMention({ id }: Extract<Inline, { kind: 'mention' }>): string {
  return /^&?\d/u.test(id) ? `<@${id}>` : `@${id}`;
}
