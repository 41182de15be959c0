import { exactly, optional } from '../../../kernel/index.ts';

/** Schema of what an import does with one tool. */
export const importedTool = exactly('ImportedTool', {
  tool: { type: 'string', description: 'Name of the tool at the provider' },
  change: {
    enum: ['new', 'patch', 'minor', 'major', 'unchanged', 'refused'],
    description: 'How the Orb differs from its previous version',
  },
  definition_digest: { type: 'string', description: "SHA-256 of the canonical form of the tool's definition" },
  tokens: { type: 'integer', description: 'Approximate number of tokens that it uses in the context of a model' },
  orb_id: optional({ type: 'string', description: 'Id of the Orb' }),
  effect: optional({ type: 'string', description: 'The effect of a run' }),
  action_class: optional({ type: 'string', description: 'Kind of action' }),
  guard: optional({
    enum: ['on', 'off'],
    description: 'Whether a repeated call without an idempotency key is recognized',
  }),
  tool_errors: optional({
    enum: ['unknown', 'no_effect'],
    description: 'What an error of the tool means for its effect',
  }),
  why: { type: 'string', description: 'Why the effect is assumed, or why the tool is refused' },
});
