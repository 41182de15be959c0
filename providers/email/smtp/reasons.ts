import type { RejectedReason } from '../../../kernel/adapter.ts';

/** What a server answered to which command; every member may be absent. */
export interface SmtpReply {
  /** The code of the library. */
  readonly code?: string;
  /** The command that was answered, e.g. `RCPT TO`. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

// RFC 3463 §3, and RFC 7505 §4.2 for 5.1.10. Codes that have several causes have no reason, like 5.1.0 and 5.2.2. 5.2.1: the
// mailbox exists and accepts nothing, which some servers also say of a mailbox that gets too much.
const byEnhancedCode: Readonly<Record<string, RejectedReason>> = {
  '5.1.1': 'recipient_unknown',
  '5.1.2': 'recipient_unknown',
  '5.1.3': 'recipient_unknown',
  '5.1.6': 'recipient_gone',
  '5.1.7': 'sender_refused',
  '5.1.8': 'sender_refused',
  '5.1.10': 'recipient_unknown',
  '5.2.1': 'recipient_blocked',
  '5.2.3': 'content_too_long',
  '5.3.4': 'content_too_long',
  '5.6.0': 'content_refused',
  '5.6.1': 'content_refused',
};

// RFC 5321 §4.3.2 and RFC 1870 §6.1: replies to MAIL are about the mailbox of the sender, or the size that it names.
const bySenderReply: Readonly<Record<number, RejectedReason>> = {
  550: 'sender_refused',
  552: 'content_too_long',
  553: 'sender_refused',
};

/** Reads the enhanced code of a reply (RFC 2034), e.g. `5.1.1`. */
export function enhancedCode(response = ''): string | undefined {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\d)/u.exec(response)?.[1];
}

/** Reads why a server, or the size that it announced, rejects a message; undefined: the reply does not say. */
export function rejectedReason({ code, command, response, responseCode }: SmtpReply): RejectedReason | undefined {
  const enhanced = byEnhancedCode[enhancedCode(response) ?? ''];
  if (command !== 'MAIL FROM') return enhanced;
  // The library compares the size before it sends MAIL.
  if (responseCode === undefined) return code === 'EMESSAGE' ? 'content_too_long' : undefined;
  return enhanced === 'content_too_long' ? enhanced : bySenderReply[responseCode];
}

/** Reads the reason that several refusals have in common. */
export function commonReason(replies: readonly SmtpReply[]): RejectedReason | undefined {
  const [first, ...others] = replies.map(rejectedReason);
  return others.every((reason) => reason === first) ? first : undefined;
}
