import { expect } from 'chai';
import { good, itAnswers, known, type Scenario } from './scenario.ts';

const scenarios: readonly Scenario[] = [
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
];

describe('the front door, asked at an address of any kind', () => {
  const platform = itAnswers(scenarios);

  it('an error answer keeps the request id of the caller', async () => {
    const headers = { 'x-request-id': 'my-id-1' };
    const response = await fetch(`${platform().url}/nowhere`, { headers });
    expect(response.headers.get('x-request-id')).to.equal('my-id-1');
    expect(((await response.json()) as { request_id: string }).request_id).to.equal('my-id-1');
  });
});
