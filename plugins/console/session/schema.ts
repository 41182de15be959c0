import { exactly, optional, type Answered } from '../../../kernel/index.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const token = { type: 'string', minLength: 1, maxLength: 512 } as const;

const caller = {
  key_id: { ...text, description: 'Id of the key that signed in' },
  name: { ...text, description: 'Name of the key' },
  principal: { ...text, description: 'The principal of the key' },
  tenant: { ...text, description: 'The tenant it belongs to' },
  scopes: { type: 'array', description: 'Scopes that the session has now', items: text },
  mode: { enum: ['live', 'test'], description: 'A `test` key uses only sandbox providers' },
} as const;

/** Schema of a session; a caller with a key itself has none, and so no end of it. */
export const sessionSchema = exactly('ConsoleSession', {
  ...caller,
  known_scopes: {
    type: 'array',
    description: 'All scopes of this installation; plugins that are not loaded have none',
    items: text,
  },
  key_scopes: {
    type: 'array',
    description: 'Scopes that a session cannot give to a new key; `POST /keys` with them needs the key itself',
    items: text,
  },
  listens: { type: 'boolean', description: 'Whether the session may follow `GET /events`' },
  expires_at: optional({ ...time, description: 'When the session ends at the latest' }),
  idle_expires_at: optional({ ...time, description: 'When the session ends if it is not used' }),
});

/** A session as it is shown. */
export type ShownSession = Answered<typeof sessionSchema>;

/** Schema of the body that signs in: a key, or the token of a link. */
export const signIn = exactly('ConsoleSignIn', {
  key: optional({ ...token, description: 'The API key; the server stores only its id' }),
  link: optional({ ...token, description: 'Or the token of `orb console open`; it works once' }),
});

/** Schema of the body that asks about a link. */
export const linkQuestion = exactly('ConsoleLinkQuestion', {
  link: { ...token, description: 'The token of `orb console open`' },
});

/** Schema of what a link would sign in. */
export const linkedKey = exactly('ConsoleLinkedKey', caller);

/** Schema of a new link. */
export const madeLink = exactly('ConsoleLink', {
  url: {
    ...text,
    description: 'Link that signs in once; the token is after the `#`, which browsers do not send to servers',
  },
  expires_at: { ...time, description: 'When the link expires' },
});

/** A new link. */
export type MadeLink = Answered<typeof madeLink>;
