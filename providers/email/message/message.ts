import { given, ProviderError } from '../../../kernel/adapter.ts';
import { parseMailboxes, type Mailbox } from './address.ts';

/** An address as policies see it: both sides of the `@` too. */
export interface ParsedMailbox extends Mailbox {
  readonly local: string;
  /** In lower-case ASCII. */
  readonly domain: string;
}

type Lists<T> = Readonly<Record<'to' | 'cc' | 'bcc' | 'reply_to', readonly T[]>>;

/** What policies see of an e-mail in addition to its inputs; a list that the caller left out is empty. */
export interface ParsedEmail extends Lists<ParsedMailbox> {
  readonly from_address?: ParsedMailbox;
  readonly attachments: readonly { readonly filename?: string; readonly content_type?: string }[];
}

/** One attachment, decoded. */
export interface MessageAttachment {
  readonly filename: string;
  readonly content_type: string | undefined;
  readonly content: Buffer;
}

/** A checked e-mail: every address parsed, every header field free of control characters. */
export interface Message extends Lists<Mailbox> {
  /** `<idempotency key@domain of the sender>`: a repeated call makes the same id. */
  readonly message_id: string;
  readonly from: Mailbox;
  readonly subject: string;
  readonly body: string;
  readonly html: string | undefined;
  readonly attachments: readonly MessageAttachment[];
}

/** One recipient of the envelope; `at` is its position in the inputs, e.g. `cc[1]`, which does not name the person. */
export interface Recipient {
  readonly address: string;
  readonly at: string;
}

/** The SMTP envelope: sender and recipients. */
export interface Envelope {
  readonly from: string;
  /** Without duplicates. */
  readonly recipients: readonly Recipient[];
}

// Most addresses of one e-mail in to, cc and bcc together.
const maxRecipients = 50;

/**
 * Turns inputs into a checked e-mail whose Message-ID contains the key. Throws ProviderError `rejected`, which names
 * the field but never its value; `not_sent` when the key is not valid in a Message-ID.
 */
export function message(inputs: Readonly<Record<string, unknown>>, idempotencyKey: string): Message {
  refuseUnknown(inputs);
  const from = sender(inputs);
  const to = mailboxes(inputs, 'to');
  const cc = mailboxes(inputs, 'cc');
  const bcc = mailboxes(inputs, 'bcc');
  if (to.length === 0) throw rejected('to', 'is required');
  if (to.length + cc.length + bcc.length > maxRecipients)
    throw rejected('to, cc and bcc', `together contain more than ${maxRecipients} addresses; send several e-mails`);
  return {
    message_id: `<${safeKey(idempotencyKey)}@${domainOf(from.address)}>`,
    ...{ from, to, cc, bcc, reply_to: mailboxes(inputs, 'reply_to') },
    subject: shownText(required(inputs, 'subject'), 'subject'),
    body: required(inputs, 'body'),
    html: optional(inputs, 'html'),
    attachments: attachments(inputs['attachments']),
  };
}

/**
 * Parses the addresses and the types of the attachments as `message` does. An input that is absent or has another type
 * is left out. Throws ProviderError `rejected`.
 */
export function parsedInputs(inputs: Readonly<Record<string, unknown>>): ParsedEmail {
  const list = (field: string): readonly ParsedMailbox[] =>
    typeof inputs[field] === 'string' ? mailboxes(inputs, field).map(parsedMailbox) : [];
  const attached: unknown = inputs['attachments'];
  if (typeof inputs['subject'] === 'string') shownText(inputs['subject'], 'subject');
  return {
    ...(typeof inputs['from_address'] === 'string' ? { from_address: parsedMailbox(sender(inputs)) } : {}),
    ...{ to: list('to'), cc: list('cc'), bcc: list('bcc'), reply_to: list('reply_to') },
    attachments: Array.isArray(attached) ? attached.map(parsedAttachment) : [],
  };
}

function parsedMailbox({ name, address }: Mailbox): ParsedMailbox {
  const domain = domainOf(address);
  return { name, address, local: address.slice(0, -domain.length - 1), domain };
}

function parsedAttachment(item: unknown, index: number): ParsedEmail['attachments'][number] {
  const { filename, content_type } = { ...(item as object) } as Inputs;
  const at = attachmentAt(index);
  const textOf = (value: unknown, field: string, check: typeof shownText): string | undefined =>
    typeof value === 'string' ? check(value, memberOf(field, at)) : undefined;
  return given({
    filename: textOf(filename, 'filename', shownText),
    content_type: textOf(content_type, 'content_type', contentType),
  });
}

/** Returns the envelope of a checked e-mail: to, cc and bcc, each address once. */
export function envelope(mail: Message): Envelope {
  const recipients = new Map<string, Recipient>();
  for (const field of ['to', 'cc', 'bcc'] as const)
    for (const [index, { address }] of mail[field].entries())
      if (!recipients.has(address)) recipients.set(address, { address, at: addressOf(field, index) });
  return { from: mail.from.address, recipients: [...recipients.values()] };
}

// Says whether a key is valid as the left side of a Message-ID.
function isKey(idempotencyKey: string): boolean {
  return /^[a-z0-9]{16,64}$/u.test(idempotencyKey);
}

// Places as a person names them, from 1.
const addressOf = (field: string, index: number): string => `address ${index + 1} of \`${field}\``;
const attachmentAt = (index: number): string => `attachment ${index + 1}`;
const memberOf = (field: string, at: string): string => `\`${field}\` of ${at}`;

type Inputs = Readonly<Record<string, unknown>>;

// `to`, `cc`, `bcc` and `reply_to` are RFC 5322 address lists, `from_address` is one mailbox.
const fields = ['to', 'from_address', 'subject', 'body', 'html', 'cc', 'bcc', 'reply_to', 'attachments'];

// Silently dropping a field would mislead the caller about the sent message.
function refuseUnknown(inputs: Inputs): void {
  const unknown = Object.keys(inputs).find((name) => !fields.includes(name));
  if (unknown !== undefined) throw rejected('inputs', 'contain a member that this capability does not know');
}

function sender(inputs: Inputs): Mailbox {
  const [from, second] = parse(required(inputs, 'from_address'), 'from_address');
  if (from === undefined || second !== undefined) throw rejected('from_address', 'must be exactly one address');
  return from;
}

function mailboxes(inputs: Inputs, field: string): readonly Mailbox[] {
  const text = optional(inputs, field);
  if (text === undefined) return [];
  const list = parse(text, field);
  if (list.length > maxRecipients) throw rejected(field, `contains more than ${maxRecipients} addresses`);
  return list;
}

function parse(text: string, field: string): readonly Mailbox[] {
  const list = parseMailboxes(header(text, field));
  if ('mailboxes' in list) return list.mailboxes;
  throw rejected(addressOf(field, list.index), list.reason);
}

function attachments(value: unknown): readonly MessageAttachment[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw rejected('attachments', 'must be a list');
  return value.map((item: unknown, index) => attachment(item, attachmentAt(index)));
}

function attachment(item: unknown, at: string): MessageAttachment {
  if (typeof item !== 'object' || item === null) throw rejected(at, 'must be an object');
  const members = { ...item } as Inputs;
  const filename = shownText(required(members, 'filename', at), memberOf('filename', at));
  if (filename === '' || /[/\\]/u.test(filename))
    throw rejected(memberOf('filename', at), 'must be a name without / and \\');
  const type = optional(members, 'content_type', at);
  const content_type = type === undefined ? undefined : contentType(type, memberOf('content_type', at));
  const encoded = required(members, 'content_base64', at);
  const content = Buffer.from(encoded, 'base64');
  // Accepts only the canonical form: decoders differ on all other forms.
  if (content.toString('base64') !== encoded)
    throw rejected(
      memberOf('content_base64', at),
      'is not canonical base64 (RFC 4648 §4, with padding); the text "hi" is aGk=',
    );
  return { filename, content_type, content };
}

// Types are the same in any case (RFC 2045 §5.1); in lower case they have one spelling.
function contentType(text: string, at: string): string {
  if (!/^[a-zA-Z0-9!#$&^_.+-]+\/[a-zA-Z0-9!#$&^_.+-]+$/u.test(text)) throw rejected(at, 'must be type/subtype');
  // Their bodies may not be base64-encoded (RFC 2045 §6.4), so attachment bytes could change the message structure.
  if (/^(?:multipart|message)\//iu.test(text))
    throw rejected(at, 'must not be multipart/* or message/*; use application/octet-stream');
  return text.toLowerCase();
}

function required(inputs: Inputs, field: string, at?: string): string {
  const text = optional(inputs, field, at);
  if (text === undefined) throw rejected(at === undefined ? field : memberOf(field, at), 'is required');
  return text;
}

function optional(inputs: Inputs, field: string, at?: string): string | undefined {
  const value = inputs[field];
  if (value === undefined || typeof value === 'string') return value;
  throw rejected(at === undefined ? field : memberOf(field, at), 'must be a string');
}

/** Refuses characters that end or hide in a header field: C0, DEL, C1, line/paragraph separators, lone surrogates. */
function header(text: string, field: string): string {
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u.test(text) || !text.isWellFormed())
    throw rejected(field, 'contains a control character or an invalid character; remove it');
  return text;
}

// A mail program shows an encoded word (RFC 2047) as another text than the one that was checked.
function shownText(text: string, field: string): string {
  if (encodedWord.test(text))
    throw rejected(field, 'contains an encoded word (=?…?=); write the characters themselves');
  return header(text, field);
}

const encodedWord = /=\?[^?\s]*\?[bq]\?[^?]*\?=/iu;

function safeKey(key: string): string {
  if (isKey(key)) return key;
  throw new ProviderError('not_sent', 'the idempotency key cannot be used in a Message-ID', { phase: 'compose' });
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function rejected(field: string, reason: string): ProviderError {
  return new ProviderError('rejected', `${field} ${reason}`);
}
