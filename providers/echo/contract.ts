import { defineCapability } from '../../kernel/index.ts';

/** The capability of demo.echo: returns its input. */
export const echo = defineCapability({ name: 'echo', title: 'Echo', inputs: { text: 'The text that comes back' } });
