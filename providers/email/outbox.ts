import { defineProvider } from '../../kernel/adapter.ts';
import { openOutbox, outboxConfig, unreadable } from '../vendor/outbox/folder.ts';
import { email } from './contract.ts';
import { compose } from './message/compose.ts';
import { message } from './message/message.ts';

/**
 * Writes each e-mail as `<idempotency key>.eml` (RFC 5322, readable by any mail program) instead of sending it.
 * The file name is the key, so a repeated call and a lookup find the file without a scan. Bcc is not written, as in a
 * sent message.
 */
export default defineProvider({
  name: 'outbox',
  capability: email,
  about: 'Writes each e-mail to a file on the server instead of sending it.',
  config: outboxConfig,
  sandbox: true,
  idempotency: { kind: 'lookup' },
  async open({ config: { directory }, stateDir }) {
    const outbox = await openOutbox(stateDir, directory, '.eml');
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const mail = message(inputs, idempotency_key);
        const written = await outbox.find(idempotency_key);
        if (written !== undefined) return outputsOf(written);
        await outbox.publish(idempotency_key, await compose(mail), signal);
        return { message_id: mail.message_id };
      },
      probe: (signal) => outbox.probe(signal),
      async lookup(key) {
        const written = await outbox.find(key);
        return written && outputsOf(written);
      },
    };
  },
});

/** Reads the outputs of an already written message from its file. */
function outputsOf(content: Buffer): { message_id: string } {
  const head = content.subarray(0, content.indexOf('\r\n\r\n') + 2).toString('latin1');
  // The field may be folded between its name and its value.
  const message_id = /^Message-ID:\s+(<[^<>\s]+>)\r$/imu.exec(head)?.[1];
  if (message_id === undefined) throw unreadable();
  return { message_id };
}
