import type { Command } from '../../kernel/index.ts';

/** The commands `orb mcp …`. */
export const mcpCommands: readonly Command[] = [];
