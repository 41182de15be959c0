import type { Call } from '../../frame/api-call.ts';
import { plainJson } from '../../frame/plain-json.ts';

/** A run as a program asks for it. */
export interface Asked {
  /** The address of the server. */
  readonly origin: string;
  readonly orb_id: string;
  readonly inputs: object;
  readonly orbiset: string;
  readonly sandbox: boolean;
  /** Whether it is put into the queue. */
  readonly later: boolean;
  /** The Idempotency-Key; undefined: the client makes one. */
  readonly key: string | undefined;
  /** How long the program waits for the answer. */
  readonly timeout_ms: number;
}

/** Writes a run as a program in TypeScript, by the client library; the key is taken from `ORB_KEY`. */
export function typescriptOf({ origin, orb_id, inputs, later, timeout_ms, ...asked }: Asked): string {
  const options = { ...optionsOf(asked), timeout: timeout_ms };
  return [
    'import { Orb } from "agent-orb";',
    '',
    `const orb = new Orb(${plainJson(origin)}, process.env.ORB_KEY, { pin: "tofu" });`,
    `const outcome = await orb.${later ? 'enqueue' : 'run'}(`,
    `  ${plainJson(orb_id)},`,
    `  ${literal(inputs, javascript, '  ')},`,
    `  ${literal(options, javascript, '  ')},`,
    ');',
    'console.log(outcome);',
  ].join('\n');
}

/** Writes a run as a program in Python, by the client library; the key is taken from `ORB_KEY`. */
export function pythonOf({ origin, orb_id, inputs, later, timeout_ms, ...asked }: Asked): string {
  const options = { ...optionsOf(asked), timeout: timeout_ms / 1000 };
  return [
    'import os',
    '',
    'from agent_orb import Orb',
    '',
    `with Orb(${plainJson(origin)}, os.environ["ORB_KEY"], pin="tofu") as orb:`,
    `    outcome = orb.${later ? 'enqueue' : 'run'}(`,
    `        ${plainJson(orb_id)},`,
    `        ${literal(inputs, python, '        ')},`,
    ...Object.entries(options).map(([name, value]) => `        ${name}=${literal(value, python, '        ')},`),
    '    )',
    '    print(outcome)',
  ].join('\n');
}

const optionsOf = ({ orbiset, sandbox, key }: Pick<Asked, 'orbiset' | 'sandbox' | 'key'>): object => ({
  orbiset,
  ...(sandbox ? { sandbox } : {}),
  ...(key === undefined ? {} : { key }),
});

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
