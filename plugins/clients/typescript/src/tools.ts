import { isRecord } from '../../../receipts/format/strict-json.ts';
import words from '../../retry/words.json' with { type: 'json' };
import { orbisetPath } from './ask.ts';
import { OrbError } from './error.ts';
import { persist } from './persist.ts';
import { run } from './run.ts';
import type { Json, Outcome, ToolFormat, Tools } from './surface.ts';
import { untilOf, type Scope } from './wire.ts';

interface McpTool extends Json {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Json;
  readonly _meta?: Json;
}

const formats: Readonly<Record<ToolFormat, (tool: McpTool) => Json>> = {
  anthropic: ({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }),
  gemini: ({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema }),
  mcp: (tool) => tool,
  openai: (tool) => ({ type: 'function', function: formats.gemini(tool) }),
};

/** Makes tools of the Orbs that the key may run. */
export async function tools(
  scope: Scope,
  format: ToolFormat,
  { orbiset }: { readonly orbiset?: string | undefined } = {},
): Promise<Tools> {
  const all = await toolsOf(scope, orbiset);
  const orbs = new Map(all.map(({ name, _meta }) => [name, _meta?.['agent-orb/orb_id']]));
  return {
    tools: all.filter(({ name }) => typeof orbs.get(name) === 'string').map(formats[format]),
    async call(name, args, options = {}) {
      const orb = orbs.get(name);
      if (typeof orb !== 'string') throw new OrbError('tool', `there is no tool ${name}`);
      const inputs: unknown = typeof args === 'string' ? JSON.parse(args || '{}') : args;
      const outcome = await run(scope, orb, inputs as Json, { ...options, orbiset: options.orbiset ?? orbiset });
      return { outcome, text: wordsOf(outcome) };
    },
  };
}

async function toolsOf(scope: Scope, orbiset: string | undefined): Promise<readonly McpTool[]> {
  const found: McpTool[] = [];
  const until = untilOf(scope);
  let cursor: unknown;
  do {
    const { json } = await persist(scope, {
      ...{ method: 'POST', path: `${orbisetPath(scope.options, orbiset)}/mcp`, repeatable: true, ...until },
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } },
    });
    const result = json?.['result'];
    if (!isRecord(result)) throw new OrbError('tools', 'the list of tools could not be read');
    found.push(...((result['tools'] ?? []) as readonly McpTool[]));
    cursor = result['nextCursor'];
  } while (typeof cursor === 'string');
  return found;
}

/** Tells a model how a call ended, and what it may do next. */
export function wordsOf(outcome: Outcome): string {
  const { acted, check, code, detail = '', errors = [], kind, outputs, runId: run } = outcome as unknown as Json;
  const members = { check, code, detail, run, errors: JSON.stringify(errors), outputs: JSON.stringify(outputs) };
  const texts: Readonly<Record<string, string | undefined>> = words;
  const text = texts[acted === true ? 'acted' : String(kind)] ?? words.unknown;
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(members[name as keyof typeof members]));
}
