import { createHash, createHmac } from 'node:crypto';
import ses from '../../../../providers/email/ses.ts';
import { jsonCheck, type VendorReply, type VendorRequest } from '../../../helpers/vendor.ts';
import { parseMail, type Entity } from '../mail.ts';
import { split, unquoted, type Posted, type VendorBed } from './bed.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const session = 'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22w==';
const id = '0100018f1e2d3c4b-5a697887-96a5-b4c3-d2e1-f00112233445-000000';
const texts = { type: 'array', minItems: 1, items: { type: 'string' } } as const;

const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['Destination', 'Content', 'EmailTags'],
  properties: {
    Destination: {
      type: 'object',
      additionalProperties: false,
      properties: { ToAddresses: texts, CcAddresses: texts, BccAddresses: texts },
    },
    Content: {
      type: 'object',
      additionalProperties: false,
      required: ['Raw'],
      properties: {
        Raw: {
          type: 'object',
          additionalProperties: false,
          required: ['Data'],
          properties: { Data: { type: 'string' } },
        },
      },
    },
    ConfigurationSetName: { type: 'string' },
    // docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageTag.html
    EmailTags: {
      type: 'array',
      minItems: 1,
      items: {
        ...{ type: 'object', additionalProperties: false, required: ['Name', 'Value'] },
        properties: { Name: { const: 'orb_key' }, Value: { type: 'string', pattern: '^[A-Za-z0-9_.@-]{1,256}$' } },
      },
    },
  },
});

interface Body {
  Destination: { ToAddresses: string[]; CcAddresses?: string[]; BccAddresses?: string[] };
  Content: { Raw: { Data: string } };
  ConfigurationSetName?: string;
}

function posted(request: VendorRequest): Posted {
  const { Destination, Content } = JSON.parse(request.body.toString()) as Body;
  const mail = parseMail(Buffer.from(Content.Raw.Data, 'base64'));
  const header = (name: string): string | undefined => decoded(mail.headers[name]);
  const entities = leaves(mail);
  const body = (type: string): string | undefined => {
    const part = entities.find(
      ({ headers }) => headers['content-type']?.startsWith(type) && headers['content-disposition'] === undefined,
    );
    // A message ends with its line; a part of a multipart ends before the boundary's.
    return part === mail ? part.text.replace(/\r\n$/, '') : part?.text;
  };
  return {
    from: unquoted(header('from') ?? ''),
    to: split(header('to')),
    cc: split(header('cc')),
    bcc: Destination.BccAddresses ?? [],
    reply_to: split(header('reply-to')),
    subject: header('subject') ?? '',
    text: body('text/plain'),
    html: body('text/html'),
    attachments: entities
      .filter((one) => one.headers['content-disposition'] !== undefined)
      .map(({ headers, content }) => ({
        name: decoded(/name="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1]) ?? '',
        type: /^[^;]+/.exec(headers['content-type'] ?? '')?.[0] ?? '',
        content: content.toString('base64'),
      })),
  };
}

function leaves(entity: Entity): Entity[] {
  return entity.parts.length === 0 ? [entity] : entity.parts.flatMap(leaves);
}

/** Decodes encoded words (RFC 2047). */
function decoded(text: string | undefined): string | undefined {
  return text
    ?.replaceAll(/(\?=) +(=\?)/g, '$1$2')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, form: string, word: string) =>
      form.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeURIComponent(
            word
              .replaceAll('_', ' ')
              .replaceAll('%', '%25')
              .replaceAll(/=([0-9A-F]{2})/g, '%$1'),
          ),
    );
}

/** Checks the signature as the service does: from the request alone, with its own copy of the secret. */
function signatureFault({ method, path, headers, body }: VendorRequest): string | undefined {
  const found =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\d{8})\/eu-west-1\/ses\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      headers['authorization'] ?? '',
    );
  const [day = '', names = '', signature = ''] = found?.slice(1) ?? [];
  const date = headers['x-amz-date'] ?? '';
  const needed = ['host', 'x-amz-date', 'x-amz-security-token', ...(method === 'POST' ? ['content-type'] : [])];
  if (!needed.every((name) => names.split(';').includes(name))) return 'IncompleteSignatureException';
  if (headers['x-amz-security-token'] !== session) return 'UnrecognizedClientException';
  const lines = names.split(';').map((name) => `${name}:${headers[name] ?? ''}\n`);
  const hash = createHash('sha256').update(body).digest('hex');
  const canonical = `${method}\n${path}\n\n${lines.join('')}\n${names}\n${hash}`;
  const scope = `${day}/eu-west-1/ses/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  let key: Buffer | string = `AWS4${secret}`;
  for (const part of [...scope.split('/'), text]) key = createHmac('sha256', key).update(part).digest();
  const right = date.startsWith(day) && Buffer.from(key).toString('hex') === signature;
  return right ? undefined : 'InvalidSignatureException';
}

const error = (status: number, type: string, message = 'about ada@example.org'): VendorReply => ({
  status,
  headers: {
    'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazonaws.services.simpleemailservice/`,
  },
  body: { message },
});

export const sesBed: VendorBed = {
  adapter: ses,
  config: (url) => ({
    region: 'eu-west-1',
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: secret,
    session_token: session,
    configuration_set: 'orbs',
    base_url: url,
  }),
  secrets: [secret, session],
  credential: 'secret_access_key',
  contract(request) {
    const { method, path } = request;
    const fault = signatureFault(request);
    if (fault !== undefined) return error(403, fault);
    if (method === 'GET' && path === '/v2/email/account')
      return {
        status: 200,
        body: { SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY' },
      };
    if (method !== 'POST' || path !== '/v2/email/outbound-emails') return error(404, 'UnknownOperationException');
    const wrong = check(request);
    return wrong === undefined ? sesBed.success : error(400, 'BadRequestException', wrong);
  },
  posted,
  id,
  success: { status: 200, body: { MessageId: id } },
  withoutId: { status: 200, body: {} },
  answers: [
    {
      name: 'a bad request',
      reply: error(400, 'BadRequestException'),
      outcome: 'rejected',
      shows: 'BadRequestException',
    },
    {
      name: 'bad content',
      reply: error(400, 'MessageRejected'),
      outcome: 'rejected',
      reason: 'content_refused',
      shows: 'MessageRejected',
    },
    {
      name: 'a sender not verified',
      reply: error(400, 'MessageRejected', 'Email address is not verified. The following identities failed: a@b.test'),
      outcome: 'provider_fault',
    },
    {
      name: 'a domain not verified',
      reply: error(400, 'MailFromDomainNotVerifiedException'),
      outcome: 'provider_fault',
    },
    { name: 'a suspended account', reply: error(400, 'AccountSuspendedException'), outcome: 'provider_fault' },
    { name: 'a paused account', reply: error(400, 'SendingPausedException'), outcome: 'provider_fault' },
    { name: 'a limit', reply: error(400, 'LimitExceededException'), outcome: 'provider_fault' },
    { name: 'no such configuration set', reply: error(404, 'NotFoundException'), outcome: 'provider_fault' },
    { name: 'a wrong secret', reply: error(403, 'InvalidSignatureException'), outcome: 'provider_fault' },
    { name: 'an old token', reply: error(400, 'ExpiredTokenException'), outcome: 'provider_fault' },
    { name: 'no right', reply: error(403, 'AccessDeniedException'), outcome: 'provider_fault' },
    { name: 'no right, with 400', reply: error(400, 'AccessDeniedException'), outcome: 'provider_fault' },
    { name: 'a clock that is wrong', reply: error(400, 'RequestExpired'), outcome: 'provider_fault' },
    { name: 'the rate limit', reply: error(429, 'TooManyRequestsException'), outcome: 'throttled' },
    {
      name: 'throttling',
      reply: error(400, 'ThrottlingException'),
      outcome: 'throttled',
      shows: 'ThrottlingException',
    },
    {
      name: 'the quota of the day',
      reply: error(429, 'TooManyRequestsException', 'Daily message quota exceeded.'),
      outcome: 'provider_fault',
    },
    {
      name: 'an error named in the body',
      reply: { status: 400, body: { __type: 'com.amazonaws.ses#SendingPausedException' } },
      outcome: 'provider_fault',
      shows: 'SendingPausedException',
    },
    { name: 'its own fault', reply: error(500, 'InternalFailure'), outcome: 'unknown' },
  ],
};
