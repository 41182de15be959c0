export type * from './surface.ts';
export { OrbError } from './error.ts';
export { OrbClient as Orb } from './orb.ts';
export { version } from './place.ts';
export { verifyReceipt } from './receipt.ts';
export { verifyWebhook } from './webhook.ts';
