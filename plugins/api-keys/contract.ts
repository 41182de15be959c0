/** What others may import of API keys: whom keys speak for. */
import { defineService } from '../../kernel/index.ts';

/** Whom keys speak for; outlives them. */
export interface KnownPrincipal {
  /** `prn_<ulid>` */
  readonly id: string;
  readonly tenant: string;
}

/** The principals of the installation, as they stand in the store. */
export interface Principals {
  find(id: string): KnownPrincipal | undefined;
  /** Whom the first key was made for; undefined before the hook `ready` made it. */
  first(): KnownPrincipal | undefined;
}

/** Says who the principals are. */
export const principals = defineService<Principals>('principals');
