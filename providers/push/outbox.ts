import { defineProvider } from '../../kernel/adapter.ts';
import { textMember } from '../vendor/http/json.ts';
import { openOutbox, outboxConfig, unreadable, writtenIn } from '../vendor/outbox/folder.ts';
import { push } from './contract.ts';
import { outputsOf } from './message/fit.ts';
import { pushMessage } from './message/message.ts';

/** Writes each push message, for a recipient of any form, as `<idempotency key>.push.json` instead of sending it. */
export default defineProvider({
  name: 'outbox',
  capability: push,
  about: 'Writes each push message to a file on the server instead of sending it.',
  config: outboxConfig,
  sandbox: true,
  idempotency: { kind: 'lookup' },
  async open({ config: { directory }, stateDir }) {
    const outbox = await openOutbox(stateDir, directory, '.push.json');
    const written = async (key: string): Promise<Record<string, unknown> | undefined> => {
      const content = await outbox.find(key);
      return content && outputsOf(idOf(content), { truncated: false });
    };
    return {
      async execute(inputs, { signal, idempotency_key }) {
        pushMessage(inputs);
        const before = await written(idempotency_key);
        if (before !== undefined) return before;
        const content = { message_id: idempotency_key, ...inputs };
        await outbox.publish(idempotency_key, Buffer.from(`${JSON.stringify(content, null, 2)}\n`), signal);
        return outputsOf(idempotency_key, { truncated: false });
      },
      probe: (signal) => outbox.probe(signal),
      lookup: written,
    };
  },
});

function idOf(content: Buffer): string {
  const id = textMember(writtenIn(content), 'message_id');
  if (id === undefined) throw unreadable();
  return id;
}
