import type * as declared from './declared.ts';
import { OrbError as ThrownError } from './error.ts';
import { OrbClient } from './orb.ts';

export type * from './surface.ts';
export { version } from './place.ts';
export { verifyReceipt } from './receipt.ts';
export { verifyWebhook } from './webhook.ts';

/** The client, as its declarations say. */
export const Orb: typeof declared.Orb = OrbClient;
/** Its error, as its declarations say. */
export const OrbError: typeof declared.OrbError = ThrownError;
