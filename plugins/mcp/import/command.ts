import { given, type Command } from '../../../kernel/index.ts';
import { apiCommand, listing, optionsOf } from '../../terminal/contract.ts';
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
  summary: 'create Orbs from the tools of a configured MCP server; without --write, only show them',
  args: [{ name: 'provider', description: 'name of the provider in platform.json' }],
  options: optionsOf({
    '--namespace <name>': 'namespace of the Orbs; default: the name of the provider',
    '--only <tools>': 'names of tools, separated by commas',
    '--trust-annotations': 'use the effects that the server declares in its annotations',
    '--guard <on|off[:tools]>': 'off: a repeated call is executed again',
    '--tool-errors <no_effect|unknown[:tools]>': 'no_effect: you confirm that a failed tool has had no effect',
    '--write': 'add the Orbs',
  }),
  route: 'POST /providers/{provider}/import',
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
      'The outcome of a failed tool with an effect counts as unknown; with --tool-errors no_effect it counts as not done.';
    const some = tools.some(
      ({ effect, tool_errors }) => tool_errors === 'unknown' && (effect === 'irreversible' || effect === 'reversible'),
    );
    return [
      written ? 'The Orbs are available.' : 'Nothing was changed; run again with --write.',
      ...(some ? [unknown] : []),
    ].join(' ');
  },
});
