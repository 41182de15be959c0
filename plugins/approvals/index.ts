import { definePlugin, exactly, optional, type Infer } from '../../kernel/index.ts';
import { approvals, type ApprovalGroups } from './contract.ts';

const members = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  uniqueItems: true,
  items: { type: 'string', pattern: '^prn_[0-9A-HJKMNP-TV-Z]{26}$', examples: ['prn_01M8FAMKDW8EACJ6XYYH95MPC3'] },
} as const;

const group = {
  anyOf: [
    { ...members, description: 'The ids of the principals' },
    exactly({
      members: { ...members, description: 'The ids of the principals' },
      links: optional({
        type: 'boolean',
        description: 'Whether a link in a message may decide, without signing in; default: no',
      }),
    }),
  ],
} as const;

const config = exactly({
  groups: optional({
    type: 'object',
    description: 'Groups of people who may approve runs, by name; a policy names one in its `ask`',
    maxProperties: 1000,
    propertyNames: { pattern: '^[a-z][a-z0-9-]{0,31}$' },
    additionalProperties: group,
  }),
  open_per_group: optional({
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 50,
    description: 'Maximum number of runs that wait for one group',
  }),
});

function groupsOf({ groups = {} }: Infer<typeof config>): ApprovalGroups {
  return new Map(
    Object.entries(groups).map(([name, given]) => {
      const { members: people, links = false } = Array.isArray(given) ? { members: given as readonly string[] } : given;
      return [name, { members: people, links }];
    }),
  );
}

/** Knows the groups of people who may approve runs. */
export default definePlugin({
  name: 'approvals',
  config,
  provides: { approvals },
  start({ config: settings }) {
    const groups = groupsOf(settings);
    return { services: { approvals: { groups: () => groups, open_per_group: settings.open_per_group ?? 50 } } };
  },
});
