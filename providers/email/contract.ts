import { defineCapability } from '../../kernel/adapter.ts';
import { parsedInputs } from './message/message.ts';

/** The capability of notify.email: sends one e-mail. */
export const email = defineCapability({
  name: 'email',
  title: 'Send e-mail',
  inputs: {
    to: 'Recipients, as one text: e-mail addresses with commas between them, each alone or as `Name <address>`, e.g. `ada@example.com, Bob <bob@example.com>`',
    from_address:
      'The sender: one address that the operator lets this account send from, alone or as `Name <address>`, e.g. `orb@example.com`',
    subject: 'Subject, one line',
    body: 'The message as plain text',
    html: 'The same message as HTML, beside `body`',
    cc: 'More recipients, written like `to`; all recipients see them',
    bcc: 'More recipients, written like `to`; the others do not see them',
    reply_to: 'Addresses for answers, written like `to`, if not the sender',
    attachments: 'Files to send with it',
    'attachments.filename': 'Name of the file, without a folder',
    'attachments.content_type': 'Media type, such as `application/pdf`',
    'attachments.content_base64': 'Content of the file in base64, with padding and without line breaks',
  },
  parse: (inputs) => ({ ...parsedInputs(inputs) }),
  sample: {
    ...{ orb: 'notify.email', asks: ['to', 'from_address'] },
    inputs: (text) => ({ subject: 'Test message', body: text }),
  },
});
