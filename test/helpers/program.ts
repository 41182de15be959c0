import { join } from 'node:path';
import { packageDir } from './folder.ts';

/** The program of the checkout. */
export const checkoutProgram: string = join(packageDir, 'kernel/orb.js');

/** The program that tests start: of a whole run a bundle, which starts sooner; else that of the checkout. */
export const shippedProgram: string = process.env['SUITE_PROGRAM'] ?? checkoutProgram;
