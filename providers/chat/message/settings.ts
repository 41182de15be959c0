import { optional } from '../../../kernel/adapter.ts';

// The name under which the operator offers a channel, a person or a group.
const alias = { minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' } as const;

const atMost = 1000;

// How an id looks at a vendor, or an address that is a credential.
interface Form {
  readonly title: string;
  readonly pattern: string;
  readonly secret?: true;
}

/** Makes the settings that say where messages go and who can be notified; the arguments are forms of the vendor's ids. */
export function targetSettings<const C extends Form, const P extends Form>(channel: C, person: P) {
  return {
    channels: optional({ ...channelMap(channel), default: {} }),
    open_channels: optional({
      type: 'boolean',
      title: 'Callers may name channels by their id at the vendor',
      description: 'If false: only the names in `channels`.',
      default: false,
    }),
    people: peopleMap(person),
  } as const;
}

/** Makes the setting for channels. */
export function channelMap<const C extends Form>(channel: C) {
  return {
    type: 'object',
    title: 'Channels',
    description: 'By the names that callers use, which stay the same when you change the vendor.',
    maxProperties: atMost,
    propertyNames: alias,
    additionalProperties: { type: 'string', minLength: 1, maxLength: 4096, ...channel },
  } as const;
}

/** Makes the setting for people. */
export function peopleMap<const P extends Form>(person: P) {
  return optional({
    type: 'object',
    title: 'People and groups that messages may notify',
    description: 'By the names that callers use in `mentions`. Nothing else in a message notifies people.',
    maxProperties: atMost,
    propertyNames: alias,
    additionalProperties: { type: 'string', minLength: 1, maxLength: 512, ...person },
    default: {},
  });
}
