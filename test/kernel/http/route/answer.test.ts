import { fullKey as key } from '../fixture.ts';
import { testScenarios, type Scenario } from '../scenario.ts';

const answers: readonly Scenario[] = [
  { name: 'nothing returned is 204', path: '/things/1', method: 'DELETE', key, status: 204 },
  {
    name: 'a reply sets status, headers and media type',
    path: '/badge',
    status: 203,
    has: { 'content-type': 'image/svg+xml', etag: '"1"', 'cache-control': 'max-age=60' },
  },
  {
    name: 'a reply keeps the status of its route',
    path: '/created',
    method: 'POST',
    key,
    status: 201,
    answer: { made: true },
    has: { location: '/created/1' },
  },
  {
    name: 'a route without a body schema does not look at the body',
    path: '/created',
    key,
    body: '{"broken',
    headers: { 'content-type': 'text/plain' },
    status: 201,
  },
  { name: 'a throw is 500', path: '/fails/throw', status: 500, problem: 'internal' },
  {
    name: 'a throw of the authenticating plugin is 500',
    path: '/things/1',
    key: 'defect',
    status: 500,
    problem: 'internal',
  },
  { name: 'a header that is not valid is 500', path: '/fails/header', status: 500, problem: 'internal' },
  { name: 'an answer without a JSON form is 500', path: '/fails/circle', status: 500, problem: 'internal' },
  { name: 'the check of answers sees surplus fields', path: '/fails/schema', status: 500, problem: 'internal' },
  {
    name: 'a problem carries its members and Retry-After',
    path: '/fails/storage',
    status: 503,
    problem: 'storage_unavailable',
    detail: /^call again$/,
    has: { 'retry-after': '3' },
  },
  {
    name: 'each problem has a page',
    path: '/problems/rate_limited',
    status: 200,
    answer: { code: 'rate_limited', status: 429, title: 'Too many requests', retryable: true },
  },
  { name: 'an unknown problem has none', path: '/problems/constructor', status: 404, problem: 'route_not_found' },
];

describe('an answer', () => testScenarios(answers));
