import { expect } from 'chai';
import type { HookName } from '../kernel/hooks.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';

const nested = (depth: number): string =>
  `{"orb_id":"demo.echo@1.0.0","inputs":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
const good = '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"}}';
const token = (text: string): string => text;

interface Scenario {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Uint8Array;
  readonly type?: string | null;
  /** null: no key. */
  readonly key?: 'echo' | 'narrow' | 'nothing' | null | { readonly raw: string };
  readonly status: number;
  readonly problem?: string;
  /** How often each hook must fire; what is not named must not. */
  readonly hooks?: Partial<Record<HookName, number>>;
}

const known: Partial<Record<HookName, number>> = { authenticate: 1 };
// The listener that ships keeps recent spans.
const full: Partial<Record<HookName, number>> = { authenticate: 1, authorize: 1, attest: 1, runSettled: 1 };

const scenarios: readonly Scenario[] = [
  { name: 'a good run', body: good, status: 200, hooks: full },
  { name: 'no JSON', body: 'hello', status: 400, problem: 'malformed_json', hooks: known },
  { name: 'an empty body', body: '', status: 400, problem: 'malformed_json', hooks: known },
  { name: 'a JSON scalar', body: '7', status: 422, problem: 'invalid_body', hooks: known },
  { name: 'cut JSON', body: good.slice(0, -1), status: 400, problem: 'malformed_json', hooks: known },
  {
    name: 'duplicate keys',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x","text":"y"}}',
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  {
    name: 'duplicate keys by escapes',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x","te\\u0078t":"y"}}',
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  {
    name: '__proto__',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"},"__proto__":{}}',
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  { name: 'deep nesting', body: nested(100), status: 400, problem: 'malformed_json', hooks: known },
  { name: 'very deep nesting', body: nested(100_000), status: 400, problem: 'malformed_json', hooks: known },
  {
    name: 'bad UTF-8',
    body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  { name: 'a NUL byte', body: '\0', status: 400, problem: 'malformed_json', hooks: known },
  {
    name: 'a body of 2 MB',
    body: `{"orb_id":"demo.echo@1.0.0","inputs":{"text":"${'x'.repeat(2_000_000)}"}}`,
    status: 413,
    problem: 'payload_too_large',
    hooks: known,
  },
  {
    name: 'a form',
    body: 'a=b',
    type: 'application/x-www-form-urlencoded',
    status: 415,
    problem: 'unsupported_media_type',
    hooks: known,
  },
  { name: 'missing fields', body: '{}', status: 422, problem: 'invalid_body', hooks: known },
  {
    name: 'an unknown field',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"},"color":1}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
  {
    name: 'a wrong type',
    body: '{"orb_id":1,"inputs":{"text":"x"}}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
  {
    name: 'a list as inputs',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":[]}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
  {
    name: 'an unknown input',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x","more":1}}',
    status: 422,
    problem: 'invalid_inputs',
    hooks: known,
  },
  {
    name: 'a negative timeout',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"},"timeout_ms":-1}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
  {
    name: 'an unknown Orb',
    body: '{"orb_id":"demo.nobody@1.0.0","inputs":{}}',
    status: 404,
    problem: 'orb_not_found',
    hooks: known,
  },
  {
    name: 'another version of an Orb',
    body: '{"orb_id":"demo.echo@2.0.0","inputs":{}}',
    status: 404,
    problem: 'orb_not_found',
    hooks: known,
  },
  {
    name: 'an unknown Orbiset',
    path: '/orbisets/nowhere/execute',
    body: good,
    status: 404,
    problem: 'orbiset_not_found',
    hooks: known,
  },
  {
    name: 'an Orbiset id that climbs',
    path: '/orbisets/..%2f..%2fetc/execute',
    body: good,
    status: 404,
    problem: 'orbiset_not_found',
    hooks: known,
  },
  { name: 'a malformed percent', path: '/orbisets/%zz/execute', body: good, status: 400, problem: 'invalid_parameter' },
  {
    name: 'an unknown receipt',
    method: 'GET',
    path: '/receipts/rec_nothing',
    status: 404,
    problem: 'receipt_not_found',
    hooks: known,
  },
  {
    name: 'an unknown run',
    method: 'GET',
    path: '/runs/run_nothing',
    status: 404,
    problem: 'run_not_found',
    hooks: known,
  },
  {
    name: 'an unknown key',
    method: 'DELETE',
    path: '/keys/key_nothing',
    status: 404,
    problem: 'key_not_found',
    hooks: known,
  },
  {
    name: 'a limit of 0',
    method: 'GET',
    path: '/runs?limit=0',
    status: 400,
    problem: 'invalid_parameter',
    hooks: known,
  },
  {
    name: 'a limit of abc',
    method: 'GET',
    path: '/runs?limit=abc',
    status: 400,
    problem: 'invalid_parameter',
    hooks: known,
  },
  {
    name: 'an unknown parameter',
    method: 'GET',
    path: '/runs?color=red',
    status: 400,
    problem: 'invalid_parameter',
    hooks: known,
  },
  { name: 'an unknown route', path: '/nowhere', body: good, status: 404, problem: 'route_not_found' },
  {
    name: 'an unknown route without a key',
    path: '/nowhere',
    body: good,
    key: null,
    status: 404,
    problem: 'route_not_found',
  },
  { name: 'a wrong method', method: 'PUT', body: good, status: 405, problem: 'method_not_allowed' },
  { name: 'no key', body: good, key: null, status: 401, problem: 'unauthenticated' },
  {
    name: 'a malformed key',
    body: good,
    key: { raw: token('nonsense') },
    status: 401,
    problem: 'unauthenticated',
    hooks: known,
  },
  {
    name: 'a key with a wrong checksum',
    body: good,
    key: { raw: `orb_live_${'a'.repeat(38)}` },
    status: 401,
    problem: 'unauthenticated',
    hooks: known,
  },
  {
    name: 'a very long key',
    body: good,
    key: { raw: 'x'.repeat(8000) },
    status: 401,
    problem: 'unauthenticated',
  },
  {
    name: 'a key without the scope',
    body: good,
    key: 'nothing',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  {
    name: 'a key narrowed to another Orb',
    body: '{"orb_id":"notify.email@1.0.0","inputs":{}}',
    key: 'narrow',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  { name: 'a key narrowed to this Orb', body: good, key: 'narrow', status: 200, hooks: full },
  {
    name: 'the metrics without their scope',
    method: 'GET',
    path: '/metrics',
    key: 'echo',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
];

describe('the front door', () => {
  let platform: TestPlatform;
  const keys: Record<string, string> = {};
  before(async () => {
    platform = await startPlatform();
    keys['echo'] = await platform.key({ scopes: ['orbs:execute'] });
    keys['narrow'] = await platform.key({ scopes: ['orbs:execute:demo.*'] });
    keys['nothing'] = await platform.key({ scopes: ['runs:read'] });
  });
  after(() => platform.stop());

  for (const {
    name,
    method = 'POST',
    path = '/orbisets/default/execute',
    body,
    type = 'application/json',
    key,
    status,
    problem,
    hooks = {},
  } of scenarios) {
    it(`${name}: ${status} ${problem ?? ''}`, async () => {
      platform.taps.clear();
      const headers: Record<string, string> = {};
      if (type !== null && body !== undefined) headers['content-type'] = type;
      const presented =
        key === undefined
          ? platform.adminKey
          : key === null
            ? undefined
            : typeof key === 'string'
              ? keys[key]
              : key.raw;
      if (presented !== undefined) headers['authorization'] = `Bearer ${presented}`;
      const response = await fetch(platform.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
      const text = await response.text();
      expect(response.status, text).to.equal(status);
      if (problem !== undefined) {
        expect(response.headers.get('content-type')).to.equal('application/problem+json');
        const told = JSON.parse(text) as Record<string, unknown>;
        expect(told).to.include({ code: problem, status });
        expect(told).to.include.keys('type', 'title', 'detail', 'request_id', 'retryable');
      }
      expect(text).not.to.match(/\.ts:\d|node_modules|\bat [A-Z]\w+ \(/);
      expect(Object.fromEntries(platform.taps)).to.deep.equal(hooks);
    });
  }

  it('an error answer keeps the request id of the caller', async () => {
    const headers = { 'x-request-id': 'my-id-1' };
    const response = await fetch(`${platform.url}/nowhere`, { headers });
    expect(response.headers.get('x-request-id')).to.equal('my-id-1');
    expect(((await response.json()) as { request_id: string }).request_id).to.equal('my-id-1');
  });
});
