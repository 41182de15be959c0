import { defineCapability } from '../../kernel/index.ts';

/** The capability of demo.echo: answers with what it was given. */
export const echo = defineCapability({ name: 'echo', title: 'Echo' });
