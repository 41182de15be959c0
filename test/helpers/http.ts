import { connect } from 'node:net';
import { expect } from 'chai';
import type { Route } from '../../kernel/http/route/route.ts';
import { compile, type JsonSchema } from '../../kernel/tools/schema.ts';

/** One request; `json` is sent as a JSON body, `body` as it is. */
export interface Sent {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
}

/** One answer, its body parsed when it is JSON of any kind. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends a request to a base URL and reads the answer whole. */
export async function send(base: string, path: string, sent: Sent = {}): Promise<Received> {
  const headers = new Headers(sent.headers);
  if (sent.key !== undefined) headers.set('authorization', `Bearer ${sent.key}`);
  if (sent.json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
  const response = await fetch(base + path, {
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body === undefined ? {} : { body, duplex: 'half' as const }),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
  const json = (isJson ? JSON.parse(text) : {}) as Readonly<Record<string, unknown>>;
  return { status: response.status, headers: response.headers, text, json };
}

/** Asserts that an answer is problem+json with a status and a code, and complete. */
export function expectProblem(received: Received, status: number, code: string): void {
  expect(received.json, received.text).to.include({ status, code });
  expect(received.status).to.equal(status);
  expect(received.headers.get('content-type')).to.equal('application/problem+json');
  expect(received.json).to.have.all.keys(
    'type',
    'title',
    'status',
    'code',
    'request_id',
    'retryable',
    ...['detail', 'errors', 'run_id', 'run_status', 'receipt', 'decision_id', 'reasons'].filter(
      (name) => name in received.json,
    ),
  );
  expect(String(received.json['type'])).to.match(new RegExp(`/problems/${code}$`));
  expect(received.headers.get('x-request-id')).to.equal(received.json['request_id']);
}

/** Writes raw bytes to a port and resolves to everything that came back before the server closed the connection. */
export async function sendRaw(base: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('error', reject).once('close', () => resolve(text));
  });
}

/**
 * Validates an answer by the schema of its route as callers see it: every object that lists its properties is closed,
 * and JSON without a schema is refused. For the option `checkResponse`.
 */
export function strictResponse(route: Route, status: number, value: unknown): void {
  const title = `${route.method} ${route.path} answered ${status}`;
  if (value === undefined || route.produces !== undefined) return;
  // A text is an answer of another of the forms that the route declares.
  if ((typeof value === 'string' || typeof value === 'function') && route.forms !== undefined) return;
  const other = route.answers?.[status]?.schema;
  const response = other ?? route.response;
  if (response === undefined) throw new Error(`${title} with JSON, but declares no response`);
  if (other === undefined && ![route.status ?? 200, ...(route.also ?? [])].includes(status))
    throw new Error(`${title}, but does not declare the status`);
  let validate = compiled.get(response);
  if (validate === undefined) {
    validate = compile(closed(response) as JsonSchema);
    compiled.set(response, validate);
  }
  // A copy as it crosses the wire: undefined members are gone, and defaults of the schema do not reach the caller.
  const faults = validate(JSON.parse(JSON.stringify(value)));
  if (faults.length > 0) throw new Error(`${title} against its schema: ${JSON.stringify(faults)}`);
}

const compiled = new WeakMap<JsonSchema, ReturnType<typeof compile>>();

// Below a combination the branches see each other's properties, so closing one would refuse those of the others.
const combinations = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not']);

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(([name]) => name !== '$id');
  const copy = Object.fromEntries(
    members.map(([name, member]) => [name, combinations.has(name) || isData(name) ? member : closed(member)]),
  );
  const combined = members.some(([name]) => combinations.has(name));
  const open = isMap(copy['properties']) && copy['type'] === 'object' && copy['additionalProperties'] === undefined;
  return open && !combined ? { ...copy, additionalProperties: false } : copy;
}

function isData(name: string): boolean {
  return ['enum', 'const', 'default', 'examples', 'required'].includes(name);
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
