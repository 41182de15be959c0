import { given, ProviderError, type RejectedReason } from '../../../kernel/adapter.ts';
import { countryOf } from './country.ts';
import { segmentsOf, type Segments } from './segments.ts';

/** A checked text message. */
export interface Message extends Segments {
  /** The recipient in the form of E.164, with its `+`. */
  readonly to: string;
  readonly text: string;
  /** Alias of a sender. */
  readonly from: string | undefined;
  readonly purpose: string;
  readonly valid_for_s: number | undefined;
}

/** What policies see of a text message in addition to its inputs. */
export interface ParsedSms {
  readonly to: { readonly number: string; readonly country?: string };
  readonly text: Segments;
}

type Inputs = Readonly<Record<string, unknown>>;

const fields = ['to', 'text', 'from', 'purpose', 'max_segments', 'encoding', 'valid_for_s'];
const usualMost = 6;

/** Turns inputs into a checked message. Throws ProviderError `rejected`, which names the field but never its value. */
export function message(inputs: Inputs): Message {
  // A field that was dropped silently would mislead the caller about the message.
  if (Object.keys(inputs).some((name) => !fields.includes(name)))
    throw rejected('the inputs contain a member that this capability does not know');
  const to = text(inputs, 'to');
  if (!/^\+[1-9][0-9]{6,14}$/u.test(to))
    throw rejected('`to` must be a number with its calling code, such as +4915123456789', 'recipient_unknown');
  const body = text(inputs, 'text');
  if (body === '' || /[^\P{Cc}\n\r]/u.test(body) || !body.isWellFormed())
    throw rejected('`text` is empty, or has a control or invalid character; remove it', 'content_refused');
  const purpose = inputs['purpose'] === undefined ? 'transactional' : text(inputs, 'purpose');
  const from = inputs['from'] === undefined ? undefined : text(inputs, 'from');
  return { to, text: body, from, purpose, valid_for_s: number(inputs, 'valid_for_s'), ...counted(inputs, body) };
}

/** Parses the inputs as `message` does, for policies. Throws ProviderError `rejected`. */
export function parsedInputs(inputs: Inputs): ParsedSms {
  const { to, segments, encoding } = message(inputs);
  return { to: { number: to, ...given({ country: countryOf(to) }) }, text: { segments, encoding } };
}

function counted(inputs: Inputs, body: string): Segments {
  const most = number(inputs, 'max_segments') ?? usualMost;
  const { segments, encoding } = segmentsOf(body);
  if (inputs['encoding'] === 'gsm7' && encoding !== 'gsm7')
    throw rejected('`text` has a character outside the GSM alphabet, and `encoding` is gsm7', 'content_refused');
  if (segments > most)
    throw rejected(`\`text\` needs ${segments} segments in ${encoding}, more than ${most}`, 'content_too_long');
  return { segments, encoding };
}

function text(inputs: Inputs, field: string): string {
  const value = inputs[field];
  if (typeof value === 'string') return value;
  throw rejected(`\`${field}\` must be a text`);
}

function number(inputs: Inputs, field: string): number | undefined {
  const value = inputs[field];
  if (value === undefined || typeof value === 'number') return value;
  throw rejected(`\`${field}\` must be a number`);
}

function rejected(sentence: string, reason?: RejectedReason): ProviderError {
  return new ProviderError('rejected', sentence, { reason });
}
