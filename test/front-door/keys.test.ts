import { full, good, itAnswers, known, unknown, type Scenario } from './scenario.ts';

const scenarios: readonly Scenario[] = [
  { name: 'no key', body: good, key: null, status: 401, problem: 'unauthenticated' },
  {
    name: 'a malformed key',
    body: good,
    key: { raw: 'nonsense' },
    status: 401,
    problem: 'unauthenticated',
    hooks: unknown,
  },
  {
    name: 'a key with a wrong checksum',
    body: good,
    key: { raw: `orb_live_${'a'.repeat(38)}` },
    status: 401,
    problem: 'unauthenticated',
    hooks: unknown,
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

describe('the front door, asked with a key of any kind', () => {
  itAnswers(scenarios);
});
