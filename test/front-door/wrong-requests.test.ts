import { expect } from 'chai';
import { compile } from '../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

const echo = 'demo.echo@1.0.0';
const execute = '/orbisets/default/execute';
const schedules = '/orbisets/default/schedules';
const subscriptions = '/orbisets/default/subscriptions';
const swap = `/providers/${echo}/swap`;
const text = { text: 'x' };
const manifest = {
  ...{ manifest_version: 1, orb_id: 'demo.new@1.0.0', title: 'New', description: 'd', capability: 'echo' },
  ...{ inputs_schema: { type: 'object' }, outputs_schema: { type: 'object' }, effect: 'none', action_class: 'read' },
  timeout_ms: 1000,
};

/** A wrong request: what the answer must say, in its detail or in one of its errors. */
type Wrong = readonly [method: string, path: string, body: unknown, said: RegExp];

const wrong: readonly Wrong[] = [
  ['POST', execute, {}, /#\/orb_id is required, e\.g\. notify\.email@1\.0\.0; #\/inputs is required/],
  ['POST', execute, { orb_id: 'Demo Echo', inputs: text }, /must be written like notify\.email@1\.0\.0/],
  ['POST', execute, { orb_id: 'demo.ecko@1.0.0', inputs: text }, /did you mean demo\.echo@1\.0\.0\?/],
  ['POST', execute, { orb_id: echo, inputs: { txt: 'x' } }, /is not a known field; did you mean `text`\?/],
  ['POST', execute, { orb_id: echo, inputs: { text: 5 } }, /#\/inputs\/text must be a string/],
  ['POST', execute, { orb_id: echo, input: text }, /#\/input is not a known field; did you mean `inputs`\?/],
  ['POST', execute, { orb_id: echo, inputs: text, delivery: 'twice' }, /must be one of at_most_once, at_least_once/],
  ['POST', execute, { orb_id: echo, inputs: text, timeout_ms: 0 }, /#\/timeout_ms must be 1 or more/],
  ['POST', execute, { orb_id: echo, inputs: text, run_at: 'now' }, /such as 2026-01-31T12:00:00Z/],
  ['POST', execute, { orb_id: echo, inputs: text, callback: { url: 'x' } }, /subscription_id is required/],
  [
    'POST',
    execute,
    { orb_id: 'http.fetch@1.0.0', inputs: { url: 'x' } },
    /must be an address like https:\/\/example\.org/,
  ],
  ['POST', '/orbisets/default/preview', { orb_id: 'x', inputs: {} }, /must be written like notify\.email@1\.0\.0/],
  ['GET', '/runs?limit=0', undefined, /limit must be 1 or more/],
  ['GET', '/runs?stauts=failed', undefined, /did you mean status\?/],
  ['GET', '/runs?status=fialed', undefined, /did you mean failed\?/],
  ['GET', '/runs?from=yesterday', undefined, /such as 2026-01-31 or 2026-01-31T12:00:00Z/],
  ['GET', '/runs?cursor=1', undefined, /use next_cursor of the previous page/],
  ['POST', '/runs/run_x/resolve', {}, /#\/outcome is required: one of sent, not_sent/],
  ['GET', '/receipts/rec_x?format=xml', undefined, /must be one of json, tlog-proof, sigstore/],
  ['GET', '/receipts?from=x', undefined, /such as 2026-01-31 or 2026-01-31T12:00:00Z/],
  ['POST', '/keys', { scopes: [] }, /#\/scopes must not be empty/],
  ['POST', '/keys', { scopes: ['runs:raed'] }, /did you mean runs:read\?/],
  ['POST', '/keys', { scopes: ['orbs:execute:notify'] }, /orbs:execute:notify\.\*/],
  ['POST', '/keys', { scopes: ['runs:read'], mode: 'prod' }, /must be one of live, test/],
  ['POST', '/keys', { scopes: ['runs:read'], tenant: 'A B' }, /letters, digits and hyphens.*like team-1/],
  ['POST', schedules, {}, /#\/orb_id is required, e\.g\. \S+; #\/cron is required, e\.g\. 0 9 \* \* 1-5/],
  [
    'POST',
    schedules,
    { orb_id: 'demo.ecko@1.0.0', inputs: text, cron: '* * * * *' },
    /did you mean demo\.echo@1\.0\.0\?/,
  ],
  ['POST', schedules, { orb_id: echo, inputs: text, cron: 'daily' }, /five fields: it has 1 field/],
  ['POST', schedules, { orb_id: echo, inputs: text, cron: '0 0 * * *', timezone: 'Berlin' }, /such as Europe\/Berlin/],
  ['POST', subscriptions, { url: 'x', types: ['run.completed'] }, /must be http\(s\):\/\/host\/path/],
  ['POST', subscriptions, { url: 'https://a.example/', types: ['x'] }, /must be one of run\.completed/],
  ['PUT', '/policies/x y', { source: '' }, /path parameter id must be written like limits/],
  ['POST', '/policies/validate', {}, /#\/files is required/],
  ['POST', '/sources', { name: 'a', vendor: 'datdog' }, /must be one of alertmanager, .*datadog/],
  ['POST', '/sources', { name: 'a', vendor: 'generic', auth: { scheme: 'header', header: 'X T' } }, /like X-Signature/],
  ['POST', '/sources', { name: 'a', vendor: 'generic', map: { state: 'status' } }, /like \/alert\/status/],
  ['POST', '/sources', { name: 'a', vendor: 'github', may_name: { orbs: ['*'] } }, /like notify\.\*/],
  ['POST', '/sources', { name: 'a', vendor: 'github', silent_after_s: 1 }, /must be 60 or more/],
  ['POST', '/incidents', { title: 'x', severity: 'bad' }, /must be one of critical, high, warning, info/],
  ['POST', '/maintenance', { title: 'x', scope: [], starts_at: 'x', ends_at: 'y' }, /such as 2026-01-31T12:00:00Z/],
  ['POST', swap, {}, /#\/provider is required/],
  ['POST', swap, { provider: 'ecko' }, /did you mean echo\?/],
  ['POST', '/providers/demo.ecko@1.0.0/swap', { provider: 'echo' }, /did you mean demo\.echo@1\.0\.0\?/],
  ['PUT', '/orbs/demo.new@1.0.0', { ...manifest, title: '' }, /#\/title must not be empty/],
  ['PUT', '/orbs/demo.new@1.0.0', { ...manifest, effect: 'some' }, /must be one of none, idempotent/],
  ['DELETE', '/orbs/demo.ecko@1.0.0', undefined, /did you mean demo\.echo@1\.0\.0\?/],
  ['POST', '/orbisets', { id: 'team', orbs: ['notify'] }, /must be written like notify\.\*/],
  ['POST', '/orbisets', { id: 'Team A', orbs: ['*'] }, /letters, digits and hyphens.*like team-1/],
  ['POST', '/marketplace/orbs/publish', { orb_id: 'demo.ecko@1.0.0' }, /did you mean demo\.echo@1\.0\.0\?/],
  ['POST', '/reputation/demo.ecko@1.0.0/suspend', { reason: 'x' }, /did you mean demo\.echo@1\.0\.0\?/],
  ['POST', '/namespaces', { namespace: 'Demo' }, /must be written like notify/],
  ['GET', '/events?types=x y', undefined, /must be written like run\.completed,swap\.\*/],
  ['GET', '/marketplace/orbs?limit=200', undefined, /limit must be 100 or less; with `offset` the next page begins/],
  ['GET', '/deliveries?state=x', undefined, /must be one of queued, done, ignored, dead/],
  ['DELETE', '/keys/key_x', undefined, /; GET \/keys lists /],
  ['GET', '/receipts/rec_x', undefined, /; GET \/receipts lists /],
  ['GET', '/runs/run_x', undefined, /; GET \/runs lists /],
  ['GET', '/swaps/swp_x', undefined, /; GET \/swaps lists /],
  ['GET', '/sources/src_x', undefined, /; GET \/sources lists /],
  ['GET', '/deliveries/dlv_x', undefined, /; GET \/deliveries lists /],
  ['GET', '/incidents/inc_x', undefined, /; GET \/incidents lists /],
  ['DELETE', '/maintenance/mnt_x', undefined, /; GET \/maintenance lists /],
  ['GET', '/subscriptions/sub_x', undefined, /; GET \/orbisets\/\{id\}\/subscriptions lists /],
  ['GET', '/orbisets/default/schedules/sch_x', undefined, /; GET \/orbisets\/default\/schedules lists /],
  ['GET', '/orbisets/nobody', undefined, /; GET \/orbisets lists /],
  ['GET', '/policies/nothing', undefined, /; GET \/policies lists /],
  ['GET', '/policies/-/decisions/dec_x', undefined, /; GET \/policies\/-\/decisions lists /],
  ['DELETE', '/namespaces/nobody', undefined, /; GET \/namespaces lists /],
  ['GET', '/healthz', undefined, /no route here; did you mean \/health\?/],
  ['GET', '/health/live', undefined, /no route here; did you mean \/health\?/],
  ['GET', '/api/v1/runs', undefined, /no route here; did you mean \/runs\?/],
  ['GET', '/run', undefined, /no route here; did you mean \/runs\?/],
  ['GET', '/orbiset/default/execute', undefined, /no route here; did you mean \/orbisets\/default\/execute\?/],
];

// Words of the validator, or a pattern.
const foreign = /must NOT|must match|fewer than|additional propert|instancePath|schemaPath|\(\?:|\[a-z0-9\]|\\S|\\d/;

describe('a wrong request', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  for (const [method, path, body, said] of wrong)
    it(`is told what is right: ${method} ${path} ${JSON.stringify(body) ?? ''}`, async () => {
      const answer = await platform.call(method, path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.be.within(400, 422);
      const { detail, errors = [] } = answer.body as {
        detail: string;
        errors?: readonly { pointer: string; detail: string }[];
      };
      const told = [detail, ...errors.map((fault) => `${fault.pointer} ${fault.detail}`)].join('\n');
      expect(told).to.match(said);
      expect(told).not.to.match(foreign);
    });

  it('with a text of another form is never told a pattern, by no parameter and no body of any route', async () => {
    const { body: document } = await platform.call('GET', '/openapi.json');
    const patterned = [
      ...new Set(
        inputsOf(document)
          .flatMap(patternsIn)
          .map((one) => JSON.stringify(one)),
      ),
    ];
    expect(patterned).to.have.length.greaterThan(20);
    for (const one of patterned) {
      const schema = JSON.parse(one) as { pattern: string; examples?: readonly string[]; maxLength?: number };
      const check = compile({ type: 'object', properties: { x: schema } });
      // One of these texts is in no form.
      const told = ['\u0001 \n', '', ' '].flatMap((value) => check({ x: value })).map(({ detail }) => detail);
      expect(told.join(), one).not.to.contain(schema.pattern).and.not.to.match(foreign);
      for (const example of schema.examples ?? []) expect(check({ x: example }), one).to.deep.equal([]);
    }
  });
});

// The schemas of the parameters and bodies of all routes, with what they refer to.
function inputsOf(document: object): readonly unknown[] {
  const resolved = (value: unknown, depth = 0): unknown => {
    if (typeof value !== 'object' || value === null || depth > 30) return value;
    if ('$ref' in value) {
      const steps = String(value.$ref).split('/').slice(1);
      const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
      return resolved(target, depth + 1);
    }
    if (Array.isArray(value)) return value.map((one) => resolved(one, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, depth + 1)]));
  };
  const { paths } = document as { paths: Record<string, Record<string, Record<string, unknown>>> };
  return Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ parameters, requestBody }) => [resolved(parameters), resolved(requestBody)]),
  );
}

function patternsIn(schema: unknown): readonly object[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'pattern' in schema && typeof schema.pattern === 'string' ? [schema] : [];
  return [...own, ...Object.values(schema).flatMap(patternsIn)];
}
