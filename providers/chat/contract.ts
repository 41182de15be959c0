import { defineCapability } from '../../kernel/adapter.ts';
import { parsedInputs } from './message/message.ts';

/** The capability of notify.chat: posts one message to a channel. */
export const chat = defineCapability({
  name: 'chat',
  title: 'Send chat messages',
  inputs: {
    channel: 'Where it goes: a name from `channels` of the provider, such as `ops`',
    text: 'The message',
    format:
      'plain (without it): the text is shown as it is. markdown: **bold**, *italic*, ~~strike~~, `code`, fenced code, [links](https://example.com), lists and quotes; everything else is shown as it is',
    title: 'One line above the message',
    thread: 'Answer to an earlier message: `thread` of the outputs of its run',
    mentions: 'Whom it notifies: names from `people` of the provider. Nobody else is notified, whatever the text holds',
    link_preview: 'Show previews of the links in it, where the vendor can; without it there are none',
    overflow:
      'A message that is too long for the vendor. reject (without it): it is refused. truncate: it is cut and ends with …',
  },
  parse: (inputs) => ({ ...parsedInputs(inputs) }),
  sample: { orb: 'notify.chat', asks: ['channel'], inputs: (text) => ({ text }) },
});
