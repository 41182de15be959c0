import { defineService } from '../../kernel/index.ts';

/** The description of the API for programs. */
export interface Openapi {
  /** Returns the document that `GET /openapi.json` answers; works once the kernel serves. */
  document(): object;
}

/** The token of the plugin's service. */
export const openapi = defineService<Openapi>('openapi');
