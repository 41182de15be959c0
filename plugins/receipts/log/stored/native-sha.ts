import { hash } from 'node:crypto';
import type { Sha256 } from '../pure/hashing.ts';

/** SHA-256 by the runtime: the same bytes as the portable one, sooner. */
export const nativeSha256: Sha256 = (data) => hash('sha256', data, 'buffer');
