import { exactly, optional, type Answered } from '../../kernel/index.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** Schema of a key's metadata: never the key itself, never its hash. */
export const keySummary = exactly('Key', {
  key_id: { ...text, description: '`key_<ulid>`' },
  principal: {
    ...text,
    description: '`prn_<ulid>`: the caller that the key acts for; stays the same when keys are replaced',
  },
  principal_name: { ...text, description: 'Name of the principal' },
  tenant: { ...text, description: 'The tenant it belongs to' },
  name: { ...text, description: 'Name of the key' },
  prefix: { ...text, description: 'The first characters of the key, to recognize it' },
  scopes: { type: 'array', description: 'What it may do', items: text },
  mode: { enum: ['live', 'test'], description: 'With a `test` key, only sandbox providers serve' },
  created_at: { ...time, description: 'When it was created' },
  created_by: optional({ ...text, description: 'The principal that created it; absent for the first key' }),
  expires_at: optional({ ...time, description: 'When it expires' }),
  last_used_at: optional({ ...time, description: 'Exact to a minute' }),
  revoked_at: optional({ ...time, description: 'When it was revoked' }),
});

/** A key's metadata as it is shown, stored and listed. */
export type KeySummary = Answered<typeof keySummary>;

/** Schema of the response that creates a key: the only response that holds the key itself. */
export const createdKey = exactly('CreatedKey', {
  ...keySummary.properties,
  key: { ...text, description: 'The key. It is shown only here' },
});

/** The response that creates a key. */
export type CreatedKey = Answered<typeof createdKey>;
