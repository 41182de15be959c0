import type MailComposer from 'nodemailer/lib/mail-composer';
import { ProviderError } from '../../../kernel/adapter.ts';
import type { Mailbox } from './address.ts';
import type { Message } from './message.ts';

/**
 * Turns a checked e-mail into RFC 5322 bytes with CRLF line ends, without Bcc. Throws ProviderError `not_sent`. The MIME
 * library is loaded by the first e-mail, not by the start of the program.
 */
export async function compose(mail: Message): Promise<Buffer> {
  try {
    const { default: Composer } = await import('nodemailer/lib/mail-composer');
    return await new Composer(mailOptions(mail)).compile().build();
  } catch (cause) {
    throw new ProviderError('not_sent', 'the message could not be composed', { phase: 'compose', cause });
  }
}

type MailOptions = NonNullable<ConstructorParameters<typeof MailComposer>[0]>;

function mailOptions(mail: Message): MailOptions {
  return {
    messageId: mail.message_id,
    from: address(mail.from),
    to: mail.to.map(address),
    subject: mail.subject,
    text: lines(mail.body),
    newline: 'windows',
    // Inputs hold contents only: the library must never read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(mail.cc.length === 0 ? {} : { cc: mail.cc.map(address) }),
    ...(mail.reply_to.length === 0 ? {} : { replyTo: mail.reply_to.map(address) }),
    ...(mail.html === undefined ? {} : { html: lines(mail.html) }),
    attachments: mail.attachments.map(({ filename, content_type, content }) => ({
      filename,
      content,
      contentDisposition: 'attachment',
      contentTransferEncoding: 'base64',
      // The type is never guessed from the name: .eml would become message/rfc822, which cannot be base64-encoded.
      contentType: content_type ?? 'application/octet-stream',
    })),
  };
}

// RFC 5322 §2.3: CR and LF occur only together; programs read a lone CR or LF differently.
function lines(text: string): string {
  return text.replaceAll(/\r\n?|\n/gu, '\r\n');
}

// Objects, so that the library does not parse text again; copies, because the library changes them.
function address({ name, address: spec }: Mailbox): { name: string; address: string } {
  return { name, address: spec };
}
