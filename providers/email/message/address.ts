import { domainToASCII } from 'node:url';

/** One mailbox: `name` may be empty; `address` is `local@domain`, its domain in lower-case ASCII. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** Either the mailboxes of a list, or the error in the element at `index`. */
export type MailboxList =
  | { readonly mailboxes: readonly Mailbox[] }
  | { readonly index: number; readonly reason: string };

/**
 * Parses an RFC 5322 mailbox-list strictly: `local@domain` or `Name <local@domain>`, separated by commas.
 * It refuses forms that mail programs read differently: groups, comments, routes, quoted local parts, address
 * literals, empty elements. The caller has already refused control characters.
 */
export function parseMailboxes(text: string): MailboxList {
  const mailboxes: Mailbox[] = [];
  for (const [index, element] of splitList(text).entries()) {
    const parsed = parseMailbox(element.trim());
    if (typeof parsed === 'string') return { index, reason: parsed };
    mailboxes.push(parsed);
  }
  return { mailboxes };
}

/** Splits at the commas outside quoted strings. */
function splitList(text: string): string[] {
  const elements: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (character === '\\' && quoted) at += 1;
    else if (character === ',' && !quoted) {
      elements.push(text.slice(start, at));
      start = at + 1;
    }
  }
  elements.push(text.slice(start));
  return elements;
}

const quotedString = /"((?:[^"\\]|\\.)*)"/gu;
// An unquoted name may not hold a special character of the address syntax.
const namedMailbox = /^((?:[^"<>()[\]:;@\\]|"(?:[^"\\]|\\.)*")*)<([^<>]*)>$/u;
const maxName = 256;

function parseMailbox(element: string): Mailbox | string {
  if (element === '') return 'is empty; remove the comma, or add an address';
  const named = namedMailbox.exec(element);
  const address = parseAddress(named?.[2] ?? element);
  if (typeof address === 'string') return address;
  const name = (named?.[1] ?? '').replace(quotedString, (_, inner: string) => inner.replaceAll(/\\(.)/gu, '$1'));
  const plain = name.replaceAll(/\s+/gu, ' ').trim();
  return plain.length > maxName ? `has a name longer than ${maxName} characters` : { name: plain, ...address };
}

// RFC 5322 §3.2.3, dot-atom; RFC 5321 §4.5.3.1 for the lengths.
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/u;
const maxLocal = 64;
const maxDomain = 253;
const maxAddress = 254;

function parseAddress(text: string): { readonly address: string } | string {
  if (/[;:]/u.test(text)) return 'is not a plain address; separate addresses by commas, groups are not supported';
  if (/[<>]/u.test(text)) return 'has `<` or `>` in the wrong place; write local@domain or Name <local@domain>';
  const at = text.lastIndexOf('@');
  if (at < 1) return 'is not an address; write local@domain or Name <local@domain>';
  const local = text.slice(0, at);
  // A mail program may read an encoded word (RFC 2047), or a part of one, as another address.
  if (!dotAtom.test(local) || local.length > maxLocal || /=\?|\?=/u.test(local))
    return 'has a local part (before the @) that is not supported; write local@domain, without quotes and spaces';
  const domain = parseDomain(text.slice(at + 1));
  if (domain === undefined) return 'has no valid domain after the @; write local@domain';
  const address = `${local}@${domain}`;
  return address.length > maxAddress ? `is longer than ${maxAddress} characters` : { address };
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
// Letters, digits and marks of any script; no character with a special meaning to the URL parser.
const international = /^[\p{L}\p{N}\p{M}.-]+$/u;

/** Returns the domain in lower-case ASCII (IDNA); undefined for anything else, also address literals and bare IPs. */
function parseDomain(text: string): string | undefined {
  if (text.length > maxDomain || !international.test(text)) return undefined;
  const ascii = /^[\x20-\x7e]+$/u.test(text) ? text.toLowerCase() : domainToASCII(text);
  const labels = ascii.split('.');
  const valid = ascii.length <= maxDomain && labels.every((part) => label.test(part));
  return valid && !/^[0-9]+$/u.test(labels.at(-1) ?? '') ? ascii : undefined;
}
