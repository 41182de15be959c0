import matrix from '../../../../providers/chat/matrix.ts';
import { jsonCheck, type VendorReply } from '../../../helpers/vendor.ts';
import { answers, source } from '../answers/matrix.ts';
import type { Double, DoubleBed } from './bed.ts';

/** The token of the account. */
export const token = 'syt_b3Ji_TestOnlyTestOnlyTestOnly_1a2b3c';
const base = '/_matrix/client/v3';

/** Rooms of the double. */
export const rooms = { plain: '!ops:example.org', encrypted: '!secret:example.org', left: '!left:example.org' };

const text = { type: 'string' } as const;
const user = { type: 'string', pattern: '^@[^:]+:.+$' } as const;
const event = { type: 'string', pattern: '^\\$.+' } as const;

const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['msgtype', 'body', 'm.mentions'],
  dependentRequired: { formatted_body: ['format'], format: ['formatted_body'] },
  properties: {
    msgtype: { enum: ['m.text', 'm.notice'] },
    body: text,
    format: { const: 'org.matrix.custom.html' },
    formatted_body: text,
    'm.mentions': {
      type: 'object',
      additionalProperties: false,
      properties: { user_ids: { type: 'array', minItems: 1, items: user }, room: { const: true } },
    },
    'm.relates_to': {
      type: 'object',
      additionalProperties: false,
      required: ['rel_type', 'event_id'],
      properties: {
        rel_type: { const: 'm.thread' },
        event_id: event,
        is_falling_back: { type: 'boolean' },
        'm.in_reply_to': { type: 'object', required: ['event_id'], properties: { event_id: event } },
      },
    },
  },
});

interface Content {
  readonly body: string;
  readonly 'm.relates_to'?: { readonly event_id: string };
}

const error = (status: number, errcode: string): VendorReply => ({
  status,
  body: { errcode, error: 'about @ada:example.org' },
});

/** A homeserver that knows the transaction ids of one device. */
export function matrixDouble(): Double {
  const messages: string[] = [];
  const sent = new Map<string, string>();
  return {
    messages,
    contract(request) {
      const { body, headers, method, path } = request;
      if (headers['authorization'] === undefined) return error(401, 'M_MISSING_TOKEN');
      if (headers['authorization'] !== `Bearer ${token}`) return error(401, 'M_UNKNOWN_TOKEN');
      if (method === 'GET' && path === `${base}/account/whoami`)
        return { status: 200, body: { user_id: '@orb:example.org', device_id: 'ORB' } };
      const [, escaped = '', rest = ''] = /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/(.+)$/.exec(path) ?? [];
      const room = decodeURIComponent(escaped);
      if (room === '') return error(404, 'M_UNRECOGNIZED');
      if (room !== rooms.plain && room !== rooms.encrypted) return error(403, 'M_FORBIDDEN');
      if (method === 'GET' && rest === 'state/m.room.encryption')
        return room === rooms.plain
          ? error(404, 'M_NOT_FOUND')
          : { status: 200, body: { algorithm: 'm.megolm.v1.aes-sha2' } };
      if (method !== 'PUT' || !/^send\/m\.room\.message\/[a-z0-9]{1,255}$/.test(rest))
        return error(404, 'M_UNRECOGNIZED');
      if (body.length > 65_536) return error(413, 'M_TOO_LARGE');
      if (check(request) !== undefined) return error(400, 'M_BAD_JSON');
      const known = sent.get(path);
      if (known !== undefined) return { status: 200, body: { event_id: known } };
      messages.push((JSON.parse(body.toString()) as Content).body);
      const event_id = `$event${messages.length}`;
      sent.set(path, event_id);
      return { status: 200, body: { event_id } };
    },
  };
}

/** The settings of the tests: rooms are asked whether they are encrypted. */
export function careful(url: string, access_token = token): object {
  return { access_token, channels: { ops: rooms.plain }, people: { ada: '@ada:example.org' }, base_url: url };
}

export const matrixBed: DoubleBed = {
  adapter: matrix,
  config: (url) => ({ ...careful(url), allow_unencrypted: true }),
  secrets: [token],
  wrong: (url) => careful(url, 'syt_wrong'),
  native: true,
  double: matrixDouble,
  // A fresh one for each vendor that is started.
  get contract() {
    return matrixDouble().contract;
  },
  outputs: {
    message_id: '$event1',
    channel: rooms.plain,
    thread: '$event1',
    delivery: 'posted',
    url: 'https://matrix.to/#/!ops%3Aexample.org/%24event1',
  },
  success: { status: 200, body: { event_id: '$event1' } },
  withoutProof: { status: 200, body: {} },
  source,
  answers,
  posted({ body, path }) {
    const content = JSON.parse(body.toString()) as Content;
    const [, room = ''] = /\/rooms\/([^/]+)\//.exec(path) ?? [];
    return { channel: decodeURIComponent(room), text: content.body, thread: content['m.relates_to']?.event_id };
  },
};
