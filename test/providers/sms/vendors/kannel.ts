import kannel from '../../../../providers/sms/kannel.ts';
import type { VendorReply, VendorRequest } from '../../../helpers/vendor.ts';
import { answersOf, key, senders, type SmsBed } from './bed.ts';

const username = 'orb';
const password = 'kannel_secret_Ww42';

// gw/smsbox.c of Kannel 1.4.5, smsbox_sendsms_post and smsbox_req_handle, in their order.
function contract({ method, path, headers, body }: VendorRequest): VendorReply {
  if (path !== '/cgi-bin/sendsms') return { status: 404, body: 'Unknown request.' };
  const refusal = (status: number, sentence: string): VendorReply => ({ status, body: sentence });
  const [type, charset] = (headers['content-type'] ?? '').split('; charset=');
  if (method !== 'POST' || type !== 'text/plain') return refusal(400, 'Invalid content-type');
  if (headers['x-kannel-username'] !== username || headers['x-kannel-password'] !== password)
    return refusal(403, 'Authorization failed for sendsms');
  const to = headers['x-kannel-to'];
  if (to === undefined) return refusal(400, 'Missing receiver(s) number(s), rejected');
  if (!/^[0-9 +-]+$/.test(to)) return refusal(400, 'Number(s) has/have been denied by white- and/or black-lists.');
  if (!headers['x-kannel-from']) return refusal(400, 'Sender missing and no global set, rejected');
  const url = headers['x-kannel-dlr-url'];
  if (url !== undefined && !/^https?:\/\//.test(url)) return refusal(400, 'DLR-URL field misformed, rejected');
  const number = (name: string): number => Number(headers[name] ?? -1);
  if (!(number('x-kannel-dlr-mask') <= 63)) return refusal(400, 'DLR-Mask field misformed, rejected');
  if (!(number('x-kannel-coding') <= 2)) return refusal(400, 'Coding field misformed, rejected');
  if (!(number('x-kannel-validity') >= -1)) return refusal(400, 'Validity field misformed, rejected');
  const isText = charset === 'UTF-8' && Buffer.from(body.toString('utf8')).equals(body);
  return isText ? success : refusal(400, 'Charset or body misformed, rejected');
}

const success: VendorReply = {
  status: 202,
  headers: { 'content-type': 'text/html' },
  body: '0: Accepted for delivery',
};

export const kannelBed: SmsBed = {
  adapter: kannel,
  config: (url) => ({ base_url: url, username, password, senders }),
  secrets: [password],
  credential: 'password',
  contract,
  posted: ({ headers, body }) =>
    ({
      to: headers['x-kannel-to'],
      from: headers['x-kannel-from'],
      text: body.toString('utf8'),
      encoding: headers['x-kannel-coding'],
      validity: headers['x-kannel-validity'],
      report_url: headers['x-kannel-dlr-url'],
    }) as ReturnType<SmsBed['posted']>,
  success,
  outputs: { message_id: key, status: 'accepted', segments: 1, encoding: 'gsm7' },
  unproven: [
    { status: 202, body: 'Sent.' },
    { status: 202, body: '0: Accepted' },
    { status: 200, body: '0: Accepted for delivery' },
  ],
  answers: answersOf('kannel'),
};
