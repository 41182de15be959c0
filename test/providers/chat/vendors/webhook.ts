import incoming from '../../../../providers/chat/incoming.ts';
import teams from '../../../../providers/chat/teams.ts';
import { testKey } from '../../../helpers/conformance.ts';
import { jsonCheck, type VendorContract, type VendorReply } from '../../../helpers/vendor.ts';
import { webhookAnswers, webhookSource } from '../answers/slack.ts';
import { answers as teamsAnswers, source as teamsSource } from '../answers/teams.ts';
import type { ChatBed, DocumentedAnswer } from './bed.ts';

const text = { type: 'string', minLength: 1 } as const;
const flag = { type: 'boolean' } as const;
const object = (properties: object, required: readonly string[]): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

/** The parts of the addresses that are credentials. */
export const tokens = {
  slack: 'T00000000/B00000000/XXXXsecretXXXXsecretXXXX',
  mattermost: 'xxx-generatedsecretkey-xxx',
  rocketchat: '64f1c0ffee/aBcSecretDeF0123456789',
  json: 'relay?key=verysecret0123456789',
  teams: '/workflows/0123456789abcdef/triggers/manual/paths/invoke?api-version=1&sig=AbC_sEcReT-signature0123',
} as const;

type Shape = Exclude<keyof typeof tokens, 'teams'>;

const paths: Readonly<Record<Shape, string>> = {
  slack: `/services/${tokens.slack}`,
  mattermost: `/hooks/${tokens.mattermost}`,
  rocketchat: `/hooks/${tokens.rocketchat}`,
  json: `/${tokens.json}`,
};

const plainText = jsonCheck(object({ text }, ['text']));
const slackText = jsonCheck(
  object({ text, mrkdwn: flag, unfurl_links: flag, unfurl_media: flag, thread_ts: text }, ['text']),
);

const successes: Readonly<Record<Shape, VendorReply>> = {
  slack: { status: 200, body: 'ok' },
  mattermost: { status: 200, body: 'ok' },
  rocketchat: { status: 200, body: { success: true } },
  json: { status: 200 },
};

function contractOf(shape: Shape): VendorContract {
  const check = shape === 'slack' ? slackText : plainText;
  return (request) => {
    if (request.path !== paths[shape]) return { status: 404, body: 'no_service' };
    if (request.method !== 'POST' || check(request) !== undefined) return { status: 400, body: 'invalid_payload' };
    return successes[shape];
  };
}

// The smallest common form: what their statuses mean.
const statuses: readonly DocumentedAnswer[] = [
  { name: '400', reply: { status: 400, body: 'bad' }, outcome: 'rejected' },
  { name: '413', reply: { status: 413 }, outcome: 'rejected', reason: 'content_too_long' },
  { name: '401', reply: { status: 401 }, outcome: 'provider_fault' },
  { name: '403', reply: { status: 403 }, outcome: 'provider_fault' },
  { name: '404', reply: { status: 404 }, outcome: 'provider_fault' },
  { name: '410', reply: { status: 410 }, outcome: 'provider_fault' },
  { name: '429', reply: { status: 429 }, outcome: 'throttled' },
  { name: '500', reply: { status: 500, body: { id: 'ada' } }, outcome: 'unknown' },
];

/** Makes the bed of one shape. */
export function incomingBed(shape: Shape): ChatBed {
  return {
    adapter: incoming,
    config: (url) => ({
      shape,
      private: true,
      channels: { ops: `${url}${paths[shape]}` },
      people: { ada: shape === 'slack' ? 'U012AB3CD' : '@ada' },
    }),
    secrets: [tokens[shape], paths[shape]],
    contract: contractOf(shape),
    success: successes[shape],
    outputs: { message_id: testKey('c'), channel: 'ops', delivery: 'posted' },
    ...(shape === 'slack' ? { withoutProof: { status: 200, body: '' } } : {}),
    source: shape === 'slack' ? webhookSource : 'RFC 9110 §15, 2026-11-20',
    answers: shape === 'slack' ? webhookAnswers : statuses,
    posted: ({ body }) => JSON.parse(body.toString()) as { text: string },
  };
}

// learn.microsoft.com/adaptive-cards/schema-explorer, version 1.4. A flow takes any body and shows nothing of another
// form: the double refuses it.
const element = { $ref: '#/$defs/element' } as const;
const card = jsonCheck({
  ...object(
    {
      type: { const: 'message' },
      attachments: {
        type: 'array',
        minItems: 1,
        maxItems: 1,
        items: object(
          { contentType: { const: 'application/vnd.microsoft.card.adaptive' }, content: { $ref: '#/$defs/card' } },
          ['contentType', 'content'],
        ),
      },
    },
    ['type', 'attachments'],
  ),
  $defs: {
    card: object(
      {
        $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
        type: { const: 'AdaptiveCard' },
        version: { const: '1.4' },
        body: { type: 'array', minItems: 1, items: element },
        msteams: object({ entities: { type: 'array', minItems: 1, items: { $ref: '#/$defs/mention' } } }, ['entities']),
      },
      ['$schema', 'type', 'version', 'body'],
    ),
    element: {
      oneOf: [
        object({ type: { const: 'TextBlock' }, text, wrap: flag }, ['type', 'text']),
        object(
          {
            type: { const: 'RichTextBlock' },
            spacing: { enum: ['None'] },
            inlines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/run' } },
          },
          ['type', 'inlines'],
        ),
        object(
          { type: { const: 'Container' }, style: { enum: ['emphasis'] }, items: { type: 'array', items: element } },
          ['type', 'items'],
        ),
      ],
    },
    run: object(
      {
        type: { const: 'TextRun' },
        text,
        weight: { enum: ['Bolder'] },
        italic: flag,
        strikethrough: flag,
        fontType: { enum: ['Monospace'] },
        selectAction: object({ type: { const: 'Action.OpenUrl' }, url: text }, ['type', 'url']),
      },
      ['type', 'text'],
    ),
    mention: object(
      {
        type: { const: 'mention' },
        text: { type: 'string', pattern: '^<at>.+</at>$' },
        mentioned: object({ id: text, name: text }, ['id', 'name']),
      },
      ['type', 'text', 'mentioned'],
    ),
  },
});

interface CardText {
  readonly text?: string;
  readonly inlines?: readonly CardText[];
  readonly items?: readonly CardText[];
}

const shown = ({ inlines, items, text: own = '' }: CardText): string =>
  own + (inlines ?? []).map(shown).join('') + (items ?? []).map(shown).join('\n');

export const teamsBed: ChatBed = {
  adapter: teams,
  config: (url) => ({ channels: { ops: `${url}${tokens.teams}` }, people: { ada: 'ada@example.org' } }),
  secrets: [tokens.teams, 'AbC_sEcReT-signature0123'],
  contract(request) {
    if (request.path !== tokens.teams) return { status: 401 };
    return request.method === 'POST' && card(request) === undefined ? { status: 202 } : { status: 400 };
  },
  success: { status: 202 },
  outputs: { message_id: testKey('c'), channel: 'ops', delivery: 'queued' },
  source: teamsSource,
  answers: teamsAnswers,
  posted({ body }) {
    const message = JSON.parse(body.toString()) as {
      attachments: readonly { content: { body: readonly CardText[] } }[];
    };
    return { text: message.attachments.flatMap(({ content }) => content.body.map(shown)).join('\n') };
  },
};
