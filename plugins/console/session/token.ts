import { createHash, randomBytes } from 'node:crypto';

/** Makes a token of a session or a link: 256 random bits that say nothing. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** The digest of a token, by which it is stored and found. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
