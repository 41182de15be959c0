import type { Block } from '../message/blocks.ts';
import { around, written, type Dialect } from './lines.ts';

// docs.slack.dev/messaging/formatting-message-text#escaping: only these three characters are escaped, which also keeps
// <!channel> and <@U…> in a text from notifying anybody.
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const dialect: Dialect = {
  text: escaped,
  strong: around('*'),
  emphasis: around('_'),
  strike: around('~'),
  // Slack has no way to write a backtick in code.
  code: (text) => (text.includes('`') ? escaped(text) : `\`${escaped(text)}\``),
  fence: (text) => (text.includes('```') ? escaped(text) : `\`\`\`\n${escaped(text)}\n\`\`\``),
  link: (inner, url) => `<${escaped(url).replaceAll('|', '%7C')}|${inner.replaceAll('\n', ' ')}>`,
  mention: ({ id }) => (/^[UW]/u.test(id) ? `<@${id}>` : id.startsWith('S') ? `<!subteam^${id}>` : `<!${id}>`),
  bullet: '• ',
};

const same = (inner: string): string => inner;
const unmarked: Dialect = { ...dialect, strong: same, emphasis: same, strike: same };

/**
 * Writes a message in Slack's mrkdwn, or for a message whose `mrkdwn` is false. Ids of mentions: `U…`, `W…`, `S…` (a
 * group), `here`, `channel`, `everyone`.
 */
export function slackText(blocks: readonly Block[], mrkdwn = true): string {
  return written(blocks, mrkdwn ? dialect : unmarked);
}
