import { apiCommand, given, listing, type Command } from '../../../kernel/index.ts';
import type { ImportReport } from './route.ts';

// `off:press_key,type` → the choice and the tools that it is for.
function choice(value: unknown): object | undefined {
  if (!isText(value)) return undefined;
  const [chosen = '', ...rest] = value.split(':');
  const tools = rest.join(':');
  return { value: chosen, ...(tools === '' ? {} : { tools: tools.split(',').map((name) => name.trim()) }) };
}

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
    { flag: '--guard <on|off[:tools]>', description: 'off: a repeated call is made again' },
    {
      flag: '--tool-errors <no_effect|unknown[:tools]>',
      description: 'no_effect: a tool that fails has done nothing, by your word',
    },
    { flag: '--write', description: 'put the Orbs into service' },
  ],
  method: 'POST',
  route: '/providers/{provider}/import',
  body: ({ options: { namespace, only, trustAnnotations, guard, toolErrors, write } }) => ({
    ...(isText(namespace) ? { namespace } : {}),
    ...(isText(only) ? { only: only.split(',').map((name) => name.trim()) } : {}),
    ...(trustAnnotations === true ? { trust_annotations: true } : {}),
    ...given({ guard: choice(guard), tool_errors: choice(toolErrors) }),
    ...(write === true ? { write: true } : {}),
  }),
  show: ({ tools }) =>
    listing(
      ['TOOL', 'ORB', 'CHANGE', 'EFFECT', 'ACTION', 'GUARD', 'ERRORS', 'TOKENS', 'WHY'],
      tools.map(
        ({ tool, orb_id = '-', change, effect = '-', action_class = '-', guard = '-', tool_errors = '-', ...rest }) => [
          ...[tool, orb_id, change, effect, action_class, guard, tool_errors, String(rest.tokens), rest.why],
        ],
      ),
    ),
  hint: ({ written, tools }) => {
    const unknown =
      'An error of a tool with an effect counts as unknown; --tool-errors no_effect says that it did nothing.';
    const some = tools.some(
      ({ effect, tool_errors }) => tool_errors === 'unknown' && (effect === 'irreversible' || effect === 'reversible'),
    );
    return [
      written ? 'The Orbs serve.' : 'Nothing was changed; run again with --write.',
      ...(some ? [unknown] : []),
    ].join(' ');
  },
});
