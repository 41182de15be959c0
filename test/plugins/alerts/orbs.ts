import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';

/** The Orb that sends e-mail, under another name. */
export const shippedOrb: object = {
  ...(JSON.parse(readFileSync(join(packageDir, 'data/orbs/notify.email@1.0.0.json'), 'utf8')) as object),
  orb_id: 'ops.mail@1.0.0',
};
