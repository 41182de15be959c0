import { optional } from '../../../kernel/adapter.ts';

/** The name under which the operator offers a channel, a person or a group. */
export const alias = { minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' } as const;

const atMost = 1000;

/** Makes the settings that say where messages go and who can be notified; the arguments are forms of the vendor's ids. */
export function targetSettings<const C extends Form, const P extends Form>(channel: C, person: P) {
  return { channels: channelMap(channel), open_channels: openChannels, people: people(person) } as const;
}

// How an id looks at a vendor.
interface Form {
  readonly title: string;
  readonly pattern: string;
  readonly secret?: true;
}

/** Makes the setting for channels; `secret` when an address of a channel is a credential. */
export function channelMap<const C extends Form>(channel: C) {
  return {
    type: 'object',
    title: 'Channels',
    description: 'By the names that callers use, which stay the same when you change the vendor.',
    maxProperties: atMost,
    propertyNames: alias,
    additionalProperties: { type: 'string', minLength: 1, maxLength: 4096, ...channel },
    default: {},
  } as const;
}

const openChannels = optional({
  type: 'boolean',
  title: 'Callers may name channels by their id at the vendor',
  description: 'If false: only the names in `channels`.',
  default: false,
});

/** Makes the setting for people. */
export function people<const P extends Form>(person: P) {
  return optional({
    type: 'object',
    title: 'People and groups whom messages may notify',
    description: 'By the names that callers use in `mentions`. Nothing else in a message notifies anybody.',
    maxProperties: atMost,
    propertyNames: alias,
    additionalProperties: { type: 'string', minLength: 1, maxLength: 512, ...person },
    default: {},
  });
}
