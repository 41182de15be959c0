import type { ServerResponse } from 'node:http';

/** Answers a call in the place of the server. */
export type Answer = (response: ServerResponse, id: unknown) => void;

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response, id) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
const plain =
  (status: number, headers: Record<string, string> = {}, text = ''): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(text);
const error = (code: number, status = 200): Answer => json(status, { error: { code, message: 'no\u202e\nway' } });
/** Answers a result of the protocol. */
export const result = (value: object): Answer =>
  json(200, { result: { resultType: 'complete', content: [], ...value } });
const stream =
  (text: string, end: (response: ServerResponse) => void): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
    setTimeout(() => end(response), 20);
  };

/** The Orbs of the tests, each of a tool of its name: what differs in their manifests. */
export const orbs = {
  none: { effect: 'none' },
  idempotent: { effect: 'idempotent' },
  reversible: { effect: 'reversible' },
  irreversible: { effect: 'irreversible' },
  readonly: { effect: 'irreversible' },
  promised: { effect: 'irreversible', upstream: { tool_errors: 'no_effect' } },
  peer: { effect: 'irreversible', upstream: { provider: 'peer' } },
} as const;
/** Name of one of them. */
export type OrbName = keyof typeof orbs;

const problem = (code: string) => ({
  content: [],
  isError: true,
  _meta: { 'agent-orb/problem': { code, detail: 'said there' } },
});
const toolError = result({ isError: true, content: [{ type: 'text', text: `bad\u0007 day ${'x'.repeat(900)}` }] });
/** A result that is longer than the provider takes. */
export const big = result({ content: [{ type: 'text', text: 'x'.repeat(5000) }] });

/** What a server does, and what the caller gets. */
export interface Row {
  readonly name: string;
  readonly answer: Answer;
  readonly orb: OrbName;
  /** HTTP status, code and phase of the last attempt. */
  readonly gives: readonly [status: number, code: string, phase: string];
  readonly detail?: RegExp;
  readonly timeout_ms?: number;
}

/** A block of a kind that the client library does not know. */
export const unknownBlock = { type: 'hologram', data: 'AAAA', tint: 7 };

/** The table of outcomes. */
export const rows: readonly Row[] = [
  { name: '401', answer: plain(401), orb: 'irreversible', gives: [502, 'provider_failed', 'response'] },
  { name: '403', answer: plain(403), orb: 'irreversible', gives: [502, 'provider_failed', 'response'] },
  {
    name: '403 that asks for more scope',
    answer: plain(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' }),
    orb: 'irreversible',
    gives: [502, 'provider_failed', 'response'],
  },
  ...[429, 503].map((status): Row => ({
    name: `${status} with a time`,
    answer: plain(status, { 'retry-after': '3600' }),
    orb: 'irreversible',
    gives: [503, 'provider_unavailable', 'response'],
  })),
  { name: '503 without a time', answer: plain(503), orb: 'irreversible', gives: [504, 'outcome_unknown', 'response'] },
  { name: '500', answer: plain(500), orb: 'irreversible', gives: [504, 'outcome_unknown', 'response'] },
  { name: '500 without an effect', answer: plain(500), orb: 'none', gives: [502, 'provider_failed', 'response'] },
  { name: '404', answer: plain(404), orb: 'irreversible', gives: [504, 'outcome_unknown', 'response'] },
  {
    name: 'a redirect',
    answer: plain(307, { location: 'http://127.0.0.1:1/' }),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'response'],
  },
  ...[-32601, -32602].map((code): Row => ({
    name: `the error ${code}`,
    answer: error(code),
    orb: 'irreversible',
    gives: [422, 'provider_rejected', 'protocol'],
    detail: /: (MCP error -?\d+: )?no way/,
  })),
  ...[-32020, -32021, -32022].map((code): Row => ({
    name: `the error ${code}`,
    answer: error(code, 400),
    orb: 'irreversible',
    gives: [422, 'provider_rejected', 'protocol'],
  })),
  { name: 'the error -32603', answer: error(-32603), orb: 'irreversible', gives: [504, 'outcome_unknown', 'protocol'] },
  { name: 'the error -32000', answer: error(-32000), orb: 'none', gives: [502, 'provider_failed', 'protocol'] },
  ...(['none', 'idempotent', 'promised'] as const).map((orb): Row => ({
    name: `an error of the tool (${orb})`,
    answer: toolError,
    orb,
    gives: [422, 'provider_rejected', 'tool_error'],
    detail: /; message of the tool: "bad day x{400,500}"$/,
  })),
  ...(['reversible', 'irreversible'] as const).map((orb): Row => ({
    name: `an error of the tool (${orb})`,
    answer: toolError,
    orb,
    gives: [504, 'outcome_unknown', 'tool_error'],
    detail: /; message of the tool: "bad day x{400,500}"$/,
  })),
  {
    name: 'an error of a tool that its server calls read-only',
    answer: toolError,
    orb: 'readonly',
    gives: [422, 'provider_rejected', 'tool_error'],
  },
  {
    name: 'the problem of a server that is no peer',
    answer: result(problem('access_denied')),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'tool_error'],
  },
  {
    name: 'the problem of a peer: denied',
    answer: result(problem('access_denied')),
    orb: 'peer',
    gives: [422, 'provider_rejected', 'access_denied'],
    detail: /said there/,
  },
  {
    name: 'the problem of a peer: overloaded',
    answer: result(problem('overloaded')),
    orb: 'peer',
    gives: [503, 'provider_unavailable', 'overloaded'],
  },
  {
    name: 'the problem of a peer: unknown there',
    answer: result(problem('outcome_unknown')),
    orb: 'peer',
    gives: [504, 'outcome_unknown', 'outcome_unknown'],
  },
  {
    name: 'a question for input',
    answer: json(200, { result: { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } } }),
    orb: 'irreversible',
    gives: [422, 'provider_rejected', 'input_required'],
    detail: /asks for user input/,
  },
  {
    name: 'a task',
    answer: json(200, { result: { resultType: 'task', taskId: 't', status: 'working' } }),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'task'],
  },
  {
    name: 'an answer that is no JSON',
    answer: plain(200, { 'content-type': 'application/json' }, '{"jsonrpc":'),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'stream'],
  },
  {
    name: 'an answer of another type',
    answer: plain(200, { 'content-type': 'text/html' }, '<p>hello'),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'response'],
  },
  {
    name: 'a result that is none',
    answer: json(200, { result: { resultType: 'complete', content: 'all done' } }),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'response'],
  },
  {
    name: 'a reset before the answer',
    answer: (response) => void response.destroy(),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'stream'],
  },
  {
    name: 'a stream that is cut',
    answer: stream('event: message\ndata: {"jsonrpc"', (response) => response.destroy()),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'stream'],
  },
  {
    name: 'a stream that ends without the result',
    answer: stream(': nothing\n\n', (response) => response.end()),
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'stream'],
  },
  {
    name: 'silence',
    answer: () => undefined,
    orb: 'irreversible',
    gives: [504, 'outcome_unknown', 'deadline'],
    timeout_ms: 800,
  },
  {
    name: 'silence without an effect',
    answer: () => undefined,
    orb: 'none',
    gives: [504, 'run_timed_out', 'deadline'],
    timeout_ms: 800,
  },
  {
    name: 'a result that is too long, without an effect',
    answer: big,
    orb: 'none',
    gives: [422, 'provider_rejected', 'response'],
    detail: /the limit is 4096/,
  },
];
