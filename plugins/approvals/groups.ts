import { ConfigError, exactly, optional, type Infer } from '../../kernel/index.ts';
import type { ApprovalGroup, ApprovalGroups } from './contract.ts';

const principal = {
  type: 'string',
  pattern: '^prn_[0-9A-HJKMNP-TV-Z]{26}$',
  examples: ['prn_01M8FAMKDW8EACJ6XYYH95MPC3'],
} as const;

const members = { type: 'array', minItems: 1, maxItems: 1000, uniqueItems: true, items: principal } as const;

const notice = exactly('ApprovalNotice', {
  orb: {
    type: 'string',
    pattern: '^notify\\.[a-z0-9._-]+@[0-9]+\\.[0-9]+\\.[0-9]+$',
    description: 'The Orb that sends it, of the namespace `notify`',
    examples: ['notify.email@1.0.0'],
  },
  orbiset: optional({ type: 'string', maxLength: 64, description: 'The Orbiset in which it runs. Default: `default`' }),
  member: optional({
    ...principal,
    description: 'The member who gets it; with `links`, the link in it decides for this member',
  }),
  inputs: {
    type: 'object',
    description:
      'The inputs of the Orb. In its texts, `{subject}` is a title of one line, `{text}` what is asked with its link, ' +
      '`{link}` the link alone',
    examples: [{ to: 'ada@example.com', from_address: 'orb@example.com', subject: '{subject}', body: '{text}' }],
  },
});

const group = {
  anyOf: [
    { ...members, description: 'The ids of the principals' },
    exactly({
      members: { ...members, description: 'The ids of the principals' },
      links: optional({
        type: 'boolean',
        description: 'Whether the link of a notice may decide, once, without signing in. Default: no',
      }),
      notify: optional({
        type: 'array',
        maxItems: 100,
        items: notice,
        description: 'What is sent when a run asks the group. Default: nothing',
      }),
    }),
  ],
} as const;

/** Schema of the settings of approvals. */
export const config = exactly({
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

/** Reads the groups of the settings. Throws `ConfigError` for a notice to somebody who is no member. */
export function groupsOf({ groups = {} }: Infer<typeof config>): ApprovalGroups {
  const faults: string[] = [];
  const read = Object.entries(groups).map(([name, given]): [string, ApprovalGroup] => {
    if (Array.isArray(given)) return [name, { members: given, links: false }];
    const { members: people, links = false, notify } = given;
    notify?.forEach(({ member }, at) => {
      if (member !== undefined && !people.includes(member))
        faults.push(`plugins.approvals.config.groups.${name}.notify[${at}]: ${member} is no member of the group`);
    });
    const told = notify?.map(({ orbiset = 'default', ...rest }) => ({ ...rest, orbiset }));
    return [name, { members: people, links, ...(told === undefined ? {} : { notify: told }) }];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return new Map(read);
}
