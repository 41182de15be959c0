import { given, ProviderError } from '../../../kernel/adapter.ts';
import { hostOf } from '../../vendor/http/link.ts';
import { inlinesOf, paragraphsOf, textOf, type Block, type Inline } from './blocks.ts';
import { parseMarkdown } from './markdown.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** Where messages go, and whom they may notify: settings of a provider. */
export interface Targets {
  /** Ids at the vendor by the names that callers use. */
  readonly channels: Readonly<Record<string, string>>;
  /** Callers may name channels by their id at the vendor. */
  readonly open_channels?: boolean;
  /** Absent: everybody, by the name that the caller uses. */
  readonly people?: Readonly<Record<string, string>>;
}

/** A checked message: its channel found, its text parsed. */
export interface ChatMessage {
  /** The channel as the vendor knows it; an address of it can be a credential. */
  readonly channel: string;
  /** The channel as the caller named it. */
  readonly alias: string;
  /** Title, mentions and text, in this order. */
  readonly blocks: readonly Block[];
  readonly format: 'plain' | 'markdown';
  /** Whom it notifies, as `people` has them. */
  readonly mentions: readonly string[];
  readonly thread?: string;
  readonly link_preview: boolean;
  readonly overflow: 'reject' | 'truncate';
}

/** What policies see of a message in addition to its inputs. */
export interface ParsedChat {
  readonly text?: {
    /** Unicode code points. */
    readonly characters: number;
    /** Hosts of the links in it and in the title, in lower case, each once. */
    readonly hosts: readonly string[];
  };
}

const fields = ['channel', 'text', 'format', 'title', 'thread', 'mentions', 'link_preview', 'overflow'];

/**
 * Turns inputs into a checked message. Throws ProviderError `rejected`, which names the input but never its value; the
 * reason is `recipient_unknown` for a channel or a person that the settings do not name.
 */
export function prepared(inputs: Inputs, { channels, open_channels = false, people }: Targets): ChatMessage {
  const unknown = Object.keys(inputs).find((name) => !fields.includes(name));
  // Silently dropping a member would mislead the caller about the sent message.
  if (unknown !== undefined) throw refused('inputs', 'contain a member that this capability does not know');
  const alias = line(inputs, 'channel') ?? '';
  const named = Object.hasOwn(channels, alias) ? channels[alias] : undefined;
  if (named === undefined && (!open_channels || alias === '')) throw nobody('channel', 'channels');
  const format = oneOf(inputs, 'format', ['plain', 'markdown']);
  const mentions = mentioned(inputs['mentions'], people);
  const title = line(inputs, 'title');
  return given({
    channel: named ?? alias,
    alias,
    blocks: [
      ...(title === undefined ? [] : [{ kind: 'title', text: title } as const]),
      ...withMentions(mentions, blocksOf(checkedText(inputs), format)),
    ],
    format,
    mentions: mentions.map(({ id }) => id),
    thread: line(inputs, 'thread'),
    link_preview: inputs['link_preview'] === true,
    overflow: oneOf(inputs, 'overflow', ['reject', 'truncate']),
  });
}

/** Refuses a message that answers another one, for vendors that cannot post it there. */
export function withoutThread({ thread }: ChatMessage, vendor: string): void {
  if (thread !== undefined) throw refused('thread', `cannot be used: ${vendor} posts no answers to earlier messages`);
}

/** Parses the text for policies. Throws ProviderError `rejected` as `prepared` does. */
export function parsedInputs(inputs: Inputs): ParsedChat {
  if (typeof inputs['text'] !== 'string') return {};
  const text = checkedText(inputs);
  const blocks = parseMarkdown(text);
  const links = inlinesOf(blocks).flatMap((node) => (node.kind === 'link' ? [node.url] : []));
  // A mark of Markdown in the host of a link is gone where the text is shown.
  const texts = [text, ...paragraphsOf(blocks).map(textOf), line(inputs, 'title') ?? ''];
  const hosts = [...links, ...texts.flatMap(writtenLinks)].flatMap((url) => hostOf(url) ?? []);
  return { text: { characters: [...text].length, hosts: [...new Set(hosts)].sort() } };
}

const written = /https?:\/\/(?:\[[0-9a-f:.]+\])?[^\s<>"'()[\]|]*/giu;
const plainHost = /^https?:\/\/(?:[^/?#\\]*@)?[\p{L}\p{N}\p{M}.-]+/iu;

// At a mark such as a comma, some programs that show the text end the host, and others go on: both hosts count.
function writtenLinks(text: string): readonly string[] {
  return (text.match(written) ?? []).flatMap((url) => [url, ...(plainHost.exec(url) ?? [])]);
}

// A text that is markup alone is shown as it was written.
function blocksOf(text: string, format: 'plain' | 'markdown'): readonly Block[] {
  const parsed = format === 'markdown' ? parseMarkdown(text) : [];
  return parsed.length > 0 ? parsed : [{ kind: 'paragraph', content: [{ kind: 'text', text }] }];
}

type Mention = Extract<Inline, { kind: 'mention' }>;

function mentioned(value: unknown, people: Targets['people']): readonly Mention[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refused('mentions', 'must be a list');
  return [...new Set<unknown>(value)].map((alias) => {
    if (typeof alias !== 'string') throw refused('mentions', 'must be a list of names');
    const id = people === undefined ? alias : Object.hasOwn(people, alias) ? people[alias] : undefined;
    if (id === undefined) throw nobody('mentions', 'people');
    return { kind: 'mention', id, alias };
  });
}

function withMentions(mentions: readonly Mention[], blocks: readonly Block[]): readonly Block[] {
  const names = mentions.flatMap((mention): readonly Inline[] => [mention, { kind: 'text', text: ' ' }]);
  const [first, ...rest] = blocks;
  if (names.length === 0) return blocks;
  if (first?.kind === 'paragraph') return [{ ...first, content: [...names, ...first.content] }, ...rest];
  return [{ kind: 'paragraph', content: names.slice(0, -1) }, ...blocks];
}

function checkedText(inputs: Inputs): string {
  const text = inputs['text'];
  if (typeof text !== 'string' || text === '') throw refused('text', 'is required');
  if (text.includes('\r')) throw refused('text', 'contains a carriage return; end lines with \\n alone');
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u.test(text) || !text.isWellFormed())
    throw refused('text', 'contains a control character or an invalid character; remove it');
  return text;
}

function line(inputs: Inputs, field: string): string | undefined {
  const value = inputs[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw refused(field, 'must be a text');
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u.test(value) || !value.isWellFormed())
    throw refused(field, 'contains a control character or an invalid character; remove it');
  return value;
}

// The first one is the default.
function oneOf<const T extends string>(inputs: Inputs, field: string, values: readonly [T, ...T[]]): T {
  const value = inputs[field] ?? values[0];
  const found = values.find((one) => one === value);
  if (found === undefined) throw refused(field, `must be ${values.join(' or ')}`);
  return found;
}

function refused(field: string, words: string): ProviderError {
  return new ProviderError('rejected', `${field} ${words}`);
}

function nobody(field: string, setting: string): ProviderError {
  return new ProviderError('rejected', `${field} names none of the \`${setting}\` of this provider`, {
    reason: 'recipient_unknown',
  });
}
