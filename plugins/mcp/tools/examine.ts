import { fine, type CommandCall, type Examination, type Finding } from '../../../kernel/index.ts';

const name = 'tools of MCP';

interface Tools {
  readonly tools: readonly { readonly name: string }[];
  readonly left_out: readonly { readonly orb_id: string; readonly reason: string }[];
}

/** Names the Orbs that clients of MCP do not see although their Orbiset has them: two of one name, say. */
export const examineTools: Examination = async (call) => {
  const orbisets = await ask<{ readonly orbisets: readonly { readonly id: string }[] }>(call, '/orbisets?limit=100');
  if (typeof orbisets === 'string') return [{ name, state: 'skipped', detail: orbisets }];
  const findings: Finding[] = [];
  let tools = 0;
  for (const { id } of orbisets.orbisets) {
    const found = await ask<Tools>(call, `/orbisets/${encodeURIComponent(id)}/mcp/tools`);
    if (typeof found === 'string') continue;
    tools += found.tools.length;
    findings.push(...found.left_out.map(({ orb_id, reason }) => leftOut(id, orb_id, reason)));
  }
  const count = `${orbisets.orbisets.length} Orbisets with ${tools} tools, none left out`;
  return findings.length === 0 ? [fine(name, count)] : findings;
};

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
