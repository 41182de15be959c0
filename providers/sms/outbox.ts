import { defineProvider } from '../../kernel/adapter.ts';
import { textMember } from '../vendor/http/json.ts';
import { openOutbox, outboxConfig, unreadable, writtenIn } from '../vendor/outbox/folder.ts';
import { sms } from './contract.ts';
import { message } from './message/message.ts';
import { segmentsOf } from './message/segments.ts';

/** Writes each text message as `<idempotency key>.sms.json` instead of sending it. */
export default defineProvider({
  name: 'outbox',
  capability: sms,
  about: 'Writes each text message to a file on the server instead of sending it.',
  config: outboxConfig,
  sandbox: true,
  idempotency: { kind: 'lookup' },
  async open({ config: { directory }, stateDir }) {
    const outbox = await openOutbox(stateDir, directory, '.sms.json');
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const written = { message_id: idempotency_key, ...message(inputs) };
        const before = await outbox.find(idempotency_key);
        if (before !== undefined) return outputsOf(before);
        const content = Buffer.from(`${JSON.stringify(written, null, 2)}\n`);
        await outbox.publish(idempotency_key, content, signal);
        return outputsOf(content);
      },
      probe: (signal) => outbox.probe(signal),
      async lookup(key) {
        const written = await outbox.find(key);
        return written && outputsOf(written);
      },
    };
  },
});

function outputsOf(content: Buffer): Record<string, unknown> {
  const written = writtenIn(content);
  const [message_id, text] = [textMember(written, 'message_id'), textMember(written, 'text')];
  if (message_id === undefined || text === undefined) throw unreadable();
  return { message_id, status: 'accepted', ...segmentsOf(text) };
}
