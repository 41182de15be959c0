import type * as declared from './declared.ts';
import { OrbError as ThrownError } from './error.ts';
import { OrbClient } from './orb.ts';
import { version as ownVersion } from './place.ts';
import { verifyReceipt as verifyOne } from './receipt.ts';
import { verifyWebhook as verifyCallback } from './webhook.ts';

export type * from './surface.ts';

/** What the package exports, as its declarations say. */
export const { Orb, OrbError, verifyReceipt, verifyWebhook, version }: typeof declared = {
  Orb: OrbClient,
  OrbError: ThrownError,
  verifyReceipt: verifyOne,
  verifyWebhook: verifyCallback,
  version: ownVersion,
};
