import { defineRoute, exactly, PlatformError, reply, type RequestInfo, type Route } from '../../../kernel/index.ts';
import type { LiveSource } from '../sources/registry.ts';
import { mostBytes } from '../sources/source.ts';
import type { HookMethod } from '../sources/auth/proof.ts';
import { withoutNul } from '../sources/payload/parse.ts';
import { receive, type Intake } from './receive.ts';
import type { Admission } from './admission.ts';

const params = exactly({ source_token: { type: 'string', maxLength: 20_000, description: 'The token of the source' } });

const acknowledged = {
  $id: 'Acknowledged',
  type: 'object',
  required: ['delivery_id', 'status'],
  properties: {
    delivery_id: { type: 'string', description: 'Id of the delivery' },
    status: { enum: ['accepted', 'duplicate', 'success'], description: '`duplicate`: it was received before' },
    action: { type: 'string', description: 'The requested action of a Mixpanel cohort sync' },
  },
} as const;

const operations: Readonly<Record<HookMethod, Pick<Route, 'operationId' | 'summary'>>> = {
  POST: { operationId: 'deliver', summary: 'Deliver a webhook; the source defines the authentication' },
  PUT: { operationId: 'deliverByPut', summary: 'Deliver a webhook with PUT, if the vendor supports it' },
  GET: { operationId: 'deliverByQuery', summary: 'Deliver a webhook with a query string, if the vendor supports it' },
};

const common = {
  path: '/hooks/{source_token}',
  service: 'ingest',
  public: true,
  // Practically no limit per address, since one address may send for many sources; each source has its own limit.
  bucket: { name: 'hooks', per_second: 1_000_000 },
  raw: true,
  params,
} as const;

/** Makes the routes of the hooks. */
export function hookRoutes(intake: Intake, admission: Admission): readonly Route[] {
  const methods = ['POST', 'PUT', 'GET'] as const;
  return [...methods.map((method) => hookRoute(intake, admission, method)), handshakeRoute(intake)];
}

const hookRoute = (intake: Intake, admission: Admission, method: HookMethod): Route =>
  defineRoute({
    ...common,
    method,
    ...operations[method],
    response: acknowledged,
    status: 202,
    also: [200],
    problems: [
      'route_not_found',
      'unauthenticated',
      'method_not_allowed',
      'payload_too_large',
      'overloaded',
      'storage_unavailable',
    ],
    async handle(call) {
      const source = find(intake, call.params.source_token);
      if (!source.vendor.methods.includes(method)) throw wrongMethod(source);
      const raw = await bodyOf(intake, admission, source, { call, method });
      const url = `${intake.publicUrl}/hooks/${call.params.source_token}${call.rawQuery === '' ? '' : `?${call.rawQuery}`}`;
      const arrival = { method, headers: headersOf(call), query: queryOf(call.rawQuery), raw, url };
      const { accepted, answer } = await receive(intake, source, arrival, { address: call.client_ip, test: false });
      const { delivery_id, status } = accepted;
      const ok = status === 'duplicate' || answer !== undefined;
      return reply({ status: ok ? 200 : 202, body: { delivery_id, status, ...answer } });
    },
  });

/** Reads the body of a request that is let in. */
async function bodyOf(
  { metrics, rejections }: Intake,
  admission: Admission,
  { record }: LiveSource,
  { call, method }: { readonly call: RequestInfo; readonly method: HookMethod },
): Promise<Uint8Array> {
  if (rejections.tired(record.source_id, call.client_ip)) {
    metrics.refused(record.vendor, 'authentication');
    const detail = 'too many deliveries from this address failed to authenticate; send again later';
    throw new PlatformError('overloaded', detail, { retry_after: 60 });
  }
  return metrics.counted(record.vendor, () => {
    admission.admit(record.source_id);
    return method === 'GET' ? Buffer.from(call.rawQuery) : admission.read(call, mostBytes(record));
  });
}

/** Makes the handshake of CloudEvents: every sender is allowed, at the rate of the source. */
const handshakeRoute = (intake: Intake): Route =>
  defineRoute({
    ...common,
    method: 'OPTIONS',
    operationId: 'askToDeliver',
    summary: 'Ask whether events may be delivered (CloudEvents webhook handshake)',
    problems: ['route_not_found'],
    status: 200,
    sends: {
      Allow: true,
      'WebHook-Allowed-Origin': { description: 'Who may send' },
      'WebHook-Allowed-Rate': { description: 'Accepted deliveries per minute' },
    },
    answers: { 204: { description: 'The source does not accept such events', sends: { Allow: true } } },
    handle(call) {
      const { record, vendor } = find(intake, call.params.source_token);
      const Allow = vendor.methods.join(', ');
      const origin = headersOf(call)['webhook-request-origin'];
      if (record.vendor !== 'cloudevents' || origin === undefined) return reply({ status: 204, headers: { Allow } });
      const perMinute = String((record.limits?.rate_per_second ?? 50) * 60);
      return reply({
        status: 200,
        headers: {
          Allow,
          'WebHook-Allowed-Origin': /^[\x21-\x7e]{1,500}$/.test(origin) ? origin : '*',
          'WebHook-Allowed-Rate': perMinute,
        },
      });
    },
  });

function find({ registry }: Intake, token: string): LiveSource {
  const source = registry.byToken(token);
  if (source === undefined)
    throw new PlatformError(
      'route_not_found',
      'no source has this address: copy the address of the webhook again, its last part is the token of the source; GET /sources lists the sources',
    );
  return source;
}

function wrongMethod({ vendor }: LiveSource): PlatformError {
  const Allow = vendor.methods.join(', ');
  return new PlatformError('method_not_allowed', `use one of ${Allow}`, { headers: { Allow } });
}

/** Reads the first value of each header. */
function headersOf({ headers }: Pick<RequestInfo, 'headers'>): Record<string, string> {
  const pairs = Object.entries(headers).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return Object.fromEntries(pairs);
}

function queryOf(text: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) if (!values.has(name)) values.set(name, withoutNul(value));
  return Object.fromEntries(values);
}
