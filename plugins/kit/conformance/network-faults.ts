import assert from 'node:assert/strict';
import { closedPort, type FaultServer, type ServerFault } from './fault-server.ts';
import type { Fault } from './options.ts';

type Scenario = Omit<Fault, 'arrange' | 'restore' | 'expect'> & { readonly fault: ServerFault };

const answered = { status: 200 } as const;

// The outcomes allowed for each; where vendors differ, every honest answer is right. `unknown` is always true.
const httpScenarios: readonly Scenario[] = [
  { name: '400, a refused request', outcome: ['rejected', 'provider_fault'], fault: { status: 400 } },
  { name: '422, a refused request', outcome: ['rejected', 'provider_fault'], fault: { status: 422 } },
  { name: '401, refused credentials', outcome: 'provider_fault', fault: { status: 401 } },
  { name: '403, a refused account or request', outcome: ['provider_fault', 'rejected'], fault: { status: 403 } },
  { name: '429 with Retry-After', outcome: 'throttled', fault: { status: 429, headers: { 'retry-after': '7' } } },
  { name: '429 without Retry-After', outcome: 'throttled', fault: { status: 429 } },
  { name: '500, which may come after acceptance', outcome: 'unknown', fault: { status: 500 } },
  { name: '503, which may come after acceptance', outcome: ['unknown', 'throttled'], fault: { status: 503 } },
  {
    name: '302, which is not followed',
    outcome: ['unknown', 'provider_fault', 'rejected'],
    fault: { status: 302, headers: { location: '/' } },
  },
  { name: 'an empty success', outcome: 'unknown', mayAnswer: true, fault: answered },
  {
    name: 'a success that is not JSON',
    outcome: 'unknown',
    mayAnswer: true,
    fault: { ...answered, headers: { 'content-type': 'application/json' }, body: '{"id": "x' },
  },
  { name: 'a success that is a list', outcome: 'unknown', mayAnswer: true, fault: { ...answered, body: [] } },
  { name: 'half an answer', outcome: 'unknown', mayAnswer: true, fault: 'half' },
  { name: 'a reset after the request was read', outcome: 'unknown', fault: 'cut' },
];

/** Lists the ways in which an HTTP service fails, simulated by the server. */
export function httpFaults(server: FaultServer, configAt: (port: number) => object): readonly Fault[] {
  const played = httpScenarios.map(({ fault, ...scenario }) => playedBy(server, fault, scenario));
  return [...played, refused(configAt)];
}

/** Lists the ways in which a connection fails, for any protocol on it. */
export function connectionFaults(server: FaultServer, configAt: (port: number) => object): readonly Fault[] {
  const shut = { name: 'a reset of the new connection', outcome: ['not_sent', 'unknown'], mayNotOpen: true } as const;
  return [playedBy(server, 'shut', shut), refused(configAt)];
}

function playedBy(server: FaultServer, fault: ServerFault, scenario: Omit<Scenario, 'fault'>): Fault {
  let from = 0;
  return {
    ...scenario,
    arrange() {
      from = server.requests.length;
      server.fault = fault;
      return undefined;
    },
    expect() {
      const seen = server.requests.slice(from);
      assert.deepEqual(seen, [...new Set(seen)], 'the same request came twice: an adapter never retries');
    },
    restore: () => void (server.fault = undefined),
  };
}

function refused(configAt: (port: number) => object): Fault {
  return {
    name: 'no server listens',
    outcome: ['not_sent', 'unknown'],
    mayNotOpen: true,
    arrange: async () => configAt(await closedPort()),
  };
}
