import type { Call } from '../../frame/api-call.ts';
import { plainJson } from '../../frame/plain-json.ts';

/** A call with a body, and the server that it goes to. */
export interface Sent extends Call {
  readonly origin: string;
  /** How long a program waits for the answer. */
  readonly timeout_ms: number;
}

/** Writes a call as a program in TypeScript, which needs no package; the key is taken from `ORB_KEY`. */
export function typescriptOf({ origin, path, method = 'GET', headers = {}, body, timeout_ms }: Sent): string {
  const options = [
    `method: ${plainJson(method)},`,
    'headers: {',
    '  Authorization: `Bearer ${process.env.ORB_KEY}`,',
    '  "Content-Type": "application/json",',
    ...Object.entries(headers).map(([name, value]) => `  ${plainJson(name)}: ${plainJson(value)},`),
    '},',
    `body: JSON.stringify(${literal(body, javascript, '  ')}),`,
    `signal: AbortSignal.timeout(${timeout_ms}),`,
  ];
  return [
    `const response = await fetch(${plainJson(origin + path)}, {`,
    ...options.map((line) => `  ${line}`),
    '});',
    'console.log(response.status, await response.json());',
  ].join('\n');
}

/** Writes a call as a program in Python, which needs the package `httpx`; the key is taken from `ORB_KEY`. */
export function pythonOf({ origin, path, method = 'GET', headers = {}, body, timeout_ms }: Sent): string {
  return [
    'import os',
    '',
    'import httpx',
    '',
    'response = httpx.request(',
    `    ${plainJson(method)},`,
    `    ${plainJson(origin + path)},`,
    '    headers={',
    `        "Authorization": f"Bearer {os.environ['ORB_KEY']}",`,
    ...Object.entries(headers).map(([name, value]) => `        ${plainJson(name)}: ${plainJson(value)},`),
    '    },',
    `    json=${literal(body, python, '    ')},`,
    `    timeout=${timeout_ms / 1000},`,
    ')',
    'print(response.status_code, response.json())',
  ].join('\n');
}

/** Makes the call of a tool by the Model Context Protocol that is the same as a run. */
export function mcpCall(orbiset: string, tool: string, inputs: object, key: string | undefined): Call {
  const meta = key === undefined ? {} : { _meta: { 'agent-orb/idempotency-key': key } };
  return {
    method: 'POST',
    path: `/orbisets/${encodeURIComponent(orbiset)}/mcp`,
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: inputs, ...meta } },
  };
}

/** How a language writes values and the names of members. */
interface Language {
  readonly indent: string;
  readonly words: Readonly<Record<string, string>>;
  member(name: string): string;
}

const javascript: Language = {
  indent: '  ',
  words: {},
  // Written plainly, this name would set the prototype.
  member: (name) => (name === '__proto__' ? '["__proto__"]' : plainJson(name)),
};

const python: Language = {
  indent: '    ',
  words: { true: 'True', false: 'False', null: 'None' },
  member: plainJson,
};

function literal(value: unknown, language: Language, pad: string): string {
  const inner = pad + language.indent;
  const block = (open: string, items: readonly string[], close: string): string =>
    items.length === 0 ? open + close : `${open}\n${items.map((one) => `${inner}${one},\n`).join('')}${pad}${close}`;
  if (Array.isArray(value))
    return block(
      '[',
      value.map((one: unknown) => literal(one, language, inner)),
      ']',
    );
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, one]) => one !== undefined);
    const written = members.map(([name, one]) => `${language.member(name)}: ${literal(one, language, inner)}`);
    return block('{', written, '}');
  }
  const text = plainJson(value);
  return language.words[text] ?? text;
}
