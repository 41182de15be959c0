import { defineProvider, given } from '../../kernel/adapter.ts';
import { textMember } from '../vendor/http/json.ts';
import { openOutbox, outboxConfig, unreadable, writtenIn } from '../vendor/outbox/folder.ts';
import { chat } from './contract.ts';
import { prepared } from './message/message.ts';
import { plain } from './render/plain.ts';

/** Writes each message, to whatever channel, as `<idempotency key>.chat.json` instead of sending it. */
export default defineProvider({
  name: 'outbox',
  capability: chat,
  about: 'Writes each chat message to a file on the server instead of sending it.',
  config: outboxConfig,
  sandbox: true,
  idempotency: { kind: 'lookup' },
  async open({ config: { directory }, stateDir }) {
    const outbox = await openOutbox(stateDir, directory, '.chat.json');
    const written = async (key: string): Promise<Record<string, unknown> | undefined> => {
      const content = await outbox.find(key);
      return content && outputsOf(content);
    };
    return {
      async execute(inputs, { signal, idempotency_key: message_id }) {
        const { blocks } = prepared(inputs, { channels: {}, open_channels: true });
        const before = await written(message_id);
        if (before !== undefined) return before;
        const content = Buffer.from(`${JSON.stringify({ message_id, ...inputs, shown: plain(blocks) }, null, 2)}\n`);
        await outbox.publish(message_id, content, signal);
        return outputsOf(content);
      },
      probe: (signal) => outbox.probe(signal),
      lookup: written,
    };
  },
});

function outputsOf(content: Buffer): Record<string, unknown> {
  const read = writtenIn(content);
  const [message_id, channel] = [textMember(read, 'message_id'), textMember(read, 'channel')];
  if (message_id === undefined || channel === undefined) throw unreadable();
  return given({ message_id, channel, thread: textMember(read, 'thread') ?? message_id, delivery: 'posted' });
}
