import type { Principal } from '../../access.ts';
import type { Standing } from '../run.ts';

/** What is asked before an Orb is published. */
export interface PublishRequest {
  readonly principal: Principal;
  readonly client_ip: string;
  readonly orb_id: string;
  readonly standing: Standing;
  /** Newest version that is published, if any. */
  readonly previous_version?: string;
  /** Owner of the namespace, if it was granted. */
  readonly namespace_tenant?: string;
}
