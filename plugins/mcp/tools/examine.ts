import { fine, type CommandCall, type Examination, type Finding } from '../../../kernel/index.ts';

const name = 'tools of MCP';

interface Tools {
  readonly tools: readonly { readonly name: string; readonly guard?: string }[];
  readonly left_out: readonly { readonly orb_id: string; readonly reason: string }[];
}

/**
 * Names the Orbs that clients of MCP do not see although their Orbiset has them (two of one name, say), and the tools
 * whose repeated calls are made again.
 */
export const examineTools: Examination = async (call) => {
  const orbisets = await ask<{ readonly orbisets: readonly { readonly id: string }[] }>(call, '/orbisets?limit=100');
  if (typeof orbisets === 'string') return [{ name, state: 'skipped', detail: orbisets }];
  const findings: Finding[] = [];
  const open: string[] = [];
  let tools = 0;
  for (const { id } of orbisets.orbisets) {
    const found = await ask<Tools>(call, `/orbisets/${encodeURIComponent(id)}/mcp/tools`);
    if (typeof found === 'string') continue;
    tools += found.tools.length;
    const unguarded = found.tools.filter(({ guard }) => guard === 'off').map((tool) => tool.name);
    if (unguarded.length > 0) open.push(`${id}: ${unguarded.slice(0, mostNamed).join(', ')}${more(unguarded.length)}`);
    findings.push(...found.left_out.map(({ orb_id, reason }) => leftOut(id, orb_id, reason)));
  }
  if (findings.length === 0)
    findings.push(fine(name, `${orbisets.orbisets.length} Orbisets with ${tools} tools, none left out`));
  const list = `Repeated calls of these tools are executed again, as their manifest or Orbiset sets: ${open.join('; ')}`;
  return open.length === 0 ? findings : [...findings, fine('repeat guard of MCP', list)];
};

const mostNamed = 20;

function more(count: number): string {
  return count > mostNamed ? ` and ${count - mostNamed} more` : '';
}

function leftOut(orbiset: string, orbId: string, reason: string): Finding {
  return {
    name,
    state: 'warning',
    detail: `${orbId} is no tool of the Orbiset ${orbiset}: ${reason}`,
    remedy: 'Until then clients of MCP do not see it. Orbisets rename tools by "tools": {"names": {…}}.',
  };
}

async function ask<T>(call: CommandCall, path: string): Promise<T | string> {
  try {
    return await call.client().request<T>('GET', path);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
