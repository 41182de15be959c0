import { good, itAnswers, known, type Scenario } from './scenario.ts';

const members = (count: number): string =>
  `{"orb_id":"demo.echo@1.0.0","inputs":{${Array.from({ length: count }, (_, at) => `"m${at}":1`).join()}}}`;
const tooLarge = `{"orb_id":"demo.echo@1.0.0","inputs":{"text":"${'x'.repeat(2_000_000)}"}}`;
const tooMany = members(60_000);
const badInputs = '{"orb_id":"demo.echo@1.0.0","inputs":{"text":1}}';
const otherOrb = '{"orb_id":"notify.email@1.0.0","inputs":{"text":1}}';
const form = { body: 'a=b', type: 'application/x-www-form-urlencoded' } as const;
// A large body takes time, so its caller is looked up again.
const again = { authenticate: 2 };

const scenarios: readonly Scenario[] = [
  {
    name: 'a route that is not there',
    path: '/nowhere',
    body: tooLarge,
    key: null,
    status: 404,
    problem: 'route_not_found',
  },
  {
    name: 'a method that is not there',
    method: 'PUT',
    body: good,
    key: null,
    status: 405,
    problem: 'method_not_allowed',
  },

  { name: 'no key, a body too large', body: tooLarge, key: null, status: 401, problem: 'unauthenticated' },
  {
    name: 'an unknown key, a body too large',
    body: tooLarge,
    key: { raw: 'Bearer x' },
    status: 401,
    problem: 'unauthenticated',
  },
  { name: 'no key, no JSON', body: 'hello', key: null, status: 401, problem: 'unauthenticated' },

  {
    name: 'a key without the scope, an unknown query',
    path: '/orbisets/default/execute?x=1',
    body: good,
    key: 'nothing',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  {
    name: 'a key without the scope, a body too large',
    body: tooLarge,
    key: 'nothing',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  {
    name: 'a key without the scope, too many members',
    body: tooMany,
    key: 'nothing',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  {
    name: 'a key without the scope, a form',
    ...form,
    key: 'nothing',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  {
    name: 'a key without the scope, no JSON',
    body: 'hello',
    key: 'nothing',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  {
    name: 'a key without the scope, missing fields',
    body: '{}',
    key: 'nothing',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },

  {
    name: 'an unknown query, a body too large',
    path: '/orbisets/default/execute?x=1',
    body: tooLarge,
    key: 'narrow',
    status: 400,
    problem: 'invalid_parameter',
    hooks: known,
  },
  { name: 'a form', ...form, key: 'narrow', status: 415, problem: 'unsupported_media_type', hooks: known },
  { name: 'a body too large', body: tooLarge, key: 'narrow', status: 413, problem: 'payload_too_large', hooks: known },
  { name: 'too many members', body: tooMany, key: 'narrow', status: 400, problem: 'malformed_json', hooks: known },
  { name: 'no JSON', body: 'hello', key: 'narrow', status: 400, problem: 'malformed_json', hooks: known },
  { name: 'missing fields', body: '{}', key: 'narrow', status: 422, problem: 'invalid_body', hooks: known },

  {
    name: 'inputs for an Orb outside of the scope',
    body: otherOrb,
    key: 'narrow',
    status: 403,
    problem: 'insufficient_scope',
    hooks: known,
  },
  {
    name: 'inputs that do not fit',
    body: badInputs,
    key: 'narrow',
    status: 422,
    problem: 'invalid_inputs',
    hooks: known,
  },
  {
    name: 'large inputs that do not fit',
    body: members(40_000),
    key: 'narrow',
    status: 422,
    problem: 'invalid_inputs',
    hooks: again,
  },
];

describe('the order of refusals', () => {
  itAnswers(scenarios);
});
