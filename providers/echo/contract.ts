import { defineCapability } from '../../kernel/index.ts';

/** The capability of demo.echo: answers with what it was given. */
export const echo = defineCapability({ name: 'echo', title: 'Echo' });

/** Inputs of demo.echo. */
export interface EchoInputs {
  readonly text: string;
}

/** Outputs of demo.echo. */
export interface EchoOutputs {
  readonly text: string;
}
