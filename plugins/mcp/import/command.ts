import { apiCommand, listing, type Command } from '../../../kernel/index.ts';
import type { ImportReport } from './route.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/** The command `orb mcp import`. */
export const importCommand: Command = apiCommand<ImportReport>({
  path: 'mcp import',
  summary: 'make Orbs of the tools of a configured MCP server; shows them first',
  args: [{ name: 'provider', description: 'as platform.json names it' }],
  options: [
    { flag: '--namespace <name>', description: 'of the Orbs; the name of the provider without it' },
    { flag: '--only <tools>', description: 'names of tools, with commas between them' },
    { flag: '--trust-annotations', description: "take the effects from the server's own annotations" },
    { flag: '--write', description: 'put the Orbs into service' },
  ],
  method: 'POST',
  route: '/providers/{provider}/import',
  body: ({ options: { namespace, only, trustAnnotations, write } }) => ({
    ...(isText(namespace) ? { namespace } : {}),
    ...(isText(only) ? { only: only.split(',').map((name) => name.trim()) } : {}),
    ...(trustAnnotations === true ? { trust_annotations: true } : {}),
    ...(write === true ? { write: true } : {}),
  }),
  show: ({ tools }) =>
    listing(
      ['TOOL', 'ORB', 'CHANGE', 'EFFECT', 'ACTION', 'TOKENS', 'WHY'],
      tools.map(({ tool, orb_id = '-', change, effect = '-', action_class = '-', tokens, why }) => [
        ...[tool, orb_id, change, effect, action_class, String(tokens), why],
      ]),
    ),
  hint: ({ written, tools }) => {
    const unknown =
      'An error of a tool with an effect counts as unknown; its manifest may say `tool_errors: no_effect`.';
    const some = tools.some(({ effect }) => effect === 'irreversible' || effect === 'reversible');
    return [
      written ? 'The Orbs serve.' : 'Nothing was changed; run again with --write.',
      ...(some ? [unknown] : []),
    ].join(' ');
  },
});
