import { defineProvider, exactly } from '../../kernel/adapter.ts';
import type { Answer } from '../vendor/http/client.ts';
import { refusal, type Vendor } from '../vendor/http/refusal.ts';
import { transportSettings } from '../vendor/http/settings.ts';
import { chat } from './contract.ts';
import type { Block } from './message/blocks.ts';
import { fitted } from './message/cut.ts';
import { prepared, withoutThread } from './message/message.ts';
import { peopleMap } from './message/settings.ts';
import { cardOf } from './render/card.ts';
import { openWebhooks, webhookChannels } from './wire/webhook.ts';

const config = exactly({
  channels: webhookChannels,
  people: peopleMap({
    title: 'Microsoft Entra object id or user principal name of a person',
    pattern: '^[!-~]+$',
  }),
  ...transportSettings,
});

// Teams allows 28 KB after it has grown the message: github.com/MicrosoftDocs/msteams-docs/issues/11274 tells of 24,453
// bytes that became 28,897. The workflow fails after its answer, so that a longer message would be lost.
const mostBytes = 20_000;

const teams: Vendor = {
  title: 'Teams',
  credentials: '`channels`',
  remedy: () => 'check the address in `channels`, and that the workflow is on and its owner still there',
};

/**
 * Posts to Teams through workflows with a webhook. Their answer says that the workflow was started: it may fail
 * afterwards, which its owner alone sees. There is no id and no key: a call whose answer is lost stays unknown.
 */
export default defineProvider({
  name: 'teams',
  capability: chat,
  about: 'Posts messages to Microsoft Teams, by workflows with a webhook.',
  config,
  async open({ config: { channels, people, ...settings } }) {
    const webhooks = await openWebhooks(settings, true);
    return {
      async execute(inputs, { signal, idempotency_key: message_id }) {
        const message = prepared(inputs, { channels, people });
        withoutThread(message, 'a workflow of Teams');
        const { rendered, ...cut } = fitted(message, { render: envelope, size, most: mostBytes, vendor: 'Teams' });
        const answer = await webhooks.post(message.channel, rendered, signal);
        if (!isQueued(answer)) throw refusal(teams, withRealStatus(answer));
        return { message_id, channel: message.alias, delivery: 'queued', ...cut };
      },
      close: () => webhooks.close(),
    };
  },
});

const size = (content: object): number => Buffer.byteLength(JSON.stringify(content));

// learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. A workflow answers 200
// to any other form, and shows nothing.
function envelope(blocks: readonly Block[]): object {
  const { body, entities } = cardOf(blocks);
  const mentions = entities.length === 0 ? {} : { msteams: { entities } };
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', body, ...mentions },
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

// A text in an answer 200 is the error of an older webhook, or another server's.
function isQueued({ status, body }: Answer): boolean {
  return status === 202 || (status === 200 && body === '');
}

// github.com/MicrosoftDocs/msteams-docs/issues/1810: webhooks of Office 365 connectors answer 200 with "Webhook message
// delivery failed with error: Microsoft Teams endpoint returned HTTP error 413 …".
function withRealStatus(answer: Answer): Answer {
  const text = typeof answer.body === 'string' ? answer.body : '';
  const [, status] = /failed with error[^]{0,200}?\berror (\d{3})\b/iu.exec(text) ?? [];
  return answer.status !== 200 || status === undefined ? answer : { ...answer, status: Number(status) };
}
