import { exactly, optional, type Answered } from '../../../kernel/index.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const token = { type: 'string', minLength: 1, maxLength: 512 } as const;

const caller = {
  key_id: { ...text, description: 'The key that signed in, by its id' },
  name: { ...text, description: 'Name of the key' },
  principal: { ...text, description: 'Whom the key speaks for' },
  tenant: { ...text, description: 'The tenant it belongs to' },
  scopes: { type: 'array', description: 'What it may do now', items: text },
  mode: { enum: ['live', 'test'], description: 'A `test` key is served by sandbox providers only' },
} as const;

/** Schema of a session; a caller with a key itself has none, and so no end of it. */
export const sessionSchema = exactly('ConsoleSession', {
  ...caller,
  known_scopes: {
    type: 'array',
    description: 'The scopes that there are here: what a plugin that is left out serves has none',
    items: text,
  },
  key_scopes: {
    type: 'array',
    description: 'Scopes that a session cannot give to a new key: `POST /keys` with them takes the key itself',
    items: text,
  },
  listens: { type: 'boolean', description: 'Whether it may follow `GET /events`' },
  expires_at: optional({ ...time, description: 'When the session ends in any case' }),
  idle_expires_at: optional({ ...time, description: 'When it ends unless it is used' }),
});

/** A session as it is shown. */
export type ShownSession = Answered<typeof sessionSchema>;

/** Schema of the body that signs in: a key, or the token of a link. */
export const signIn = exactly('ConsoleSignIn', {
  key: optional({ ...token, description: 'The key; the server keeps only its id' }),
  link: optional({ ...token, description: 'Or the token of `orb console open`, which is then used up' }),
});

/** Schema of the body that asks about a link. */
export const linkQuestion = exactly('ConsoleLinkQuestion', {
  link: { ...token, description: 'The token of `orb console open`' },
});

/** Schema of what a link would sign in. */
export const linkedKey = exactly('ConsoleLinkedKey', caller);

/** Schema of a new link. */
export const madeLink = exactly('ConsoleLink', {
  url: { ...text, description: 'Signs in once; the token is behind the `#`, which browsers keep to themselves' },
  expires_at: { ...time, description: 'When the link ends' },
});

/** A new link. */
export type MadeLink = Answered<typeof madeLink>;
