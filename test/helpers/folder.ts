import { resolve } from 'node:path';

/** The folder of the package. */
export const packageDir: string = resolve(import.meta.dirname, '../..');
