import type { Command } from '../../../../kernel/index.ts';
import { getCommand } from './get.ts';
import { verifyCommand } from './verify.ts';

/** The commands of certificates. */
export const certificateCommands: readonly Command[] = [getCommand, verifyCommand];
