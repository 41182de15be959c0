import rcompare from 'semver/functions/rcompare.js';
import { notFound } from './keeper.ts';
import { problems } from './problems.ts';
import { providerParams, testedProvider, testRequest } from './schema.ts';
import { executeProblems, idempotencyKey, parseOrbId, type Runtime } from '../runtime/contract.ts';
import { defineRoute, reply, unfit, type Answered, type Route } from '../../kernel/index.ts';
import type { Provider } from '../../kernel/adapter.ts';

/** What tests are made with. */
export interface TestScope {
  readonly runtime: Pick<Runtime, 'catalog' | 'desk' | 'testProvider'>;
  readonly installation: string;
}

/** What a test of a provider sends; undefined: its capability says of no call that it is harmless, or no Orb takes it. */
export function sampleOf({ name, adapter: { sample } }: Provider, { runtime, installation }: TestScope) {
  if (sample === undefined) return undefined;
  const { orbs } = runtime.catalog;
  const versions = [...orbs.keys()].filter((id) => nameOf(id) === sample.orb).map(parseOrbId);
  const [newest] = versions.sort((one, other) => rcompare(one.version, other.version));
  if (newest === undefined) return undefined;
  const text = `Test of the provider ${name} by the Agent Orb installation ${installation}.`;
  return { orb_id: newest.orb_id, asks: [...sample.asks], inputs: sample.inputs(text) };
}

/** Answers `POST /providers/{name}/test`. */
export function testRoute(scope: TestScope): Route {
  return defineRoute({
    service: 'runtime',
    method: 'POST',
    path: '/providers/{name}/test',
    params: providerParams,
    scope: 'providers:manage',
    operationId: 'testProvider',
    summary: 'Send a test through a provider: a run by it alone, with a receipt',
    reads: ['Idempotency-Key'],
    body: testRequest,
    response: testedProvider,
    sends: { 'Idempotent-Replayed': true },
    problems: [...executeProblems, problems.provider_not_found],
    handle: async ({ params: { name }, body, principal, client_ip, traceparent, headers }) => {
      const found = scope.runtime.desk().find(name);
      if (found === undefined) throw notFound(name);
      const { orbiset_id = 'default' } = body;
      const call = { ...callOf(found, body, scope), orbiset_id, principal, client_ip, traceparent };
      const key = idempotencyKey(headers['idempotency-key']);
      const { answer, replayed } = await scope.runtime.testProvider(name, call, key);
      const tested = { orb_id: call.orb_id, inputs: call.inputs, result: answer };
      return reply({ body: tested, headers: replayed ? { 'Idempotent-Replayed': 'true' } : {} });
    },
  });
}

function callOf(provider: Provider, { to, inputs, orb_id }: Answered<typeof testRequest>, scope: TestScope) {
  const sample = sampleOf(provider, scope);
  if (sample === undefined && orb_id === undefined) {
    const { capability } = provider.adapter;
    throw unfit('invalid_body', 'orb_id', `is needed: no test is known for the capability ${capability}`);
  }
  const { asks = [], inputs: known = {}, orb_id: usual = '' } = sample ?? {};
  const [first] = asks;
  if (to !== undefined && first === undefined)
    throw unfit('invalid_body', 'to', 'is not used by this capability; give its inputs as `inputs`');
  const recipient = to === undefined || first === undefined ? {} : { [first]: to };
  // Another Orb may take other inputs.
  const isUsual = orb_id === undefined || nameOf(orb_id) === nameOf(usual);
  return { orb_id: orb_id ?? usual, inputs: { ...(isUsual ? known : {}), ...recipient, ...inputs } };
}

const nameOf = (orbId: string): string => orbId.split('@')[0] ?? '';
