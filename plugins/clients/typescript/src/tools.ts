import { orbisetPath, untilOf, type Scope } from './ask.ts';
import { OrbError } from './error.ts';
import { isObject } from './outcome.ts';
import { persist } from './persist.ts';
import type { Json, Outcome, RunOptions, ToolFormat, Tools } from './surface.ts';

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
  openai: ({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }),
};

/** Makes tools of the Orbs that the key may run; `run` runs one. */
export async function tools(
  scope: Scope,
  { format, orbiset }: { readonly format: ToolFormat; readonly orbiset: string | undefined },
  run: (orb: string, inputs: Json, options: RunOptions) => Promise<Outcome>,
): Promise<Tools> {
  const all = await toolsOf(scope, orbiset);
  const orbs = new Map(all.map(({ name, _meta }) => [name, _meta?.['agent-orb/orb_id']]));
  const made = all.filter(({ name }) => typeof orbs.get(name) === 'string').map(formats[format]);
  return {
    tools: made,
    async call(name, args, options = {}) {
      const orb = orbs.get(name);
      if (typeof orb !== 'string') throw new OrbError('tool', `there is no tool ${name}`);
      const inputs: unknown = typeof args === 'string' ? JSON.parse(args || '{}') : args;
      const outcome = await run(orb, inputs as Json, { ...options, orbiset: options.orbiset ?? orbiset });
      return { outcome, text: wordsOf(outcome) };
    },
  };
}

async function toolsOf(scope: Scope, orbiset: string | undefined): Promise<readonly McpTool[]> {
  const found: McpTool[] = [];
  let cursor: unknown;
  do {
    const { heard } = await persist(scope.wire, {
      ...{ method: 'POST', path: `${orbisetPath(scope.options, orbiset)}/mcp`, repeatable: true, ...untilOf(scope) },
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
    });
    const answer = heard.kind === 'answered' && isObject(heard.json) ? heard.json : {};
    const { result } = answer;
    if (!isObject(result)) throw new OrbError('tools', 'the list of tools could not be read');
    found.push(...((result['tools'] ?? []) as readonly McpTool[]));
    cursor = result['nextCursor'];
  } while (typeof cursor === 'string');
  return found;
}

/** Tells a model how a call ended, and what it may do next. */
export function wordsOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed':
      return JSON.stringify(outcome.outputs);
    case 'denied':
      return `Denied (${outcome.code}): nothing was done. Do not repeat it unchanged.`;
    case 'held':
      return `People must approve it first. Run ${outcome.runId}. Do not call again.`;
    case 'rejected':
      return `Refused (${outcome.code}): nothing was done. ${outcome.detail ?? ''} ${JSON.stringify(outcome.errors ?? [])}`;
    case 'failed':
      return outcome.acted
        ? `It was done, but its result cannot be used (${outcome.code}). Do not call again.`
        : `It failed (${outcome.code}): nothing was done. You may call again later.`;
    case 'unreachable':
      return 'The server could not be reached: nothing was done.';
    case 'unverified':
      return `It was done, but its receipt does not prove it (${outcome.check}). Do not call again; tell the user.`;
    case 'unknown':
    default:
      return 'It is unknown whether it was done. Do not call again; tell the user.';
  }
}
