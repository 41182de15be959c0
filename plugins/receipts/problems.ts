import { defineProblems } from '../../kernel/index.ts';

/** Problems of receipts and signing keys. */
export const problems = defineProblems({
  receipt_not_found: {
    status: 404,
    title: 'There is no such receipt',
    cause: 'No receipt has this id, or it belongs to another tenant.',
    remedy: 'Check the id; `GET /receipts` lists the receipts that the key can read.',
  },
  signing_key_conflict: {
    status: 409,
    title: 'The state of the signing key does not allow the change',
    cause: 'The signing key is revoked, retired or the only one.',
    remedy: 'Check the state of the keys with `GET /signing-keys`, then choose another change.',
  },
  log_damaged: {
    status: 503,
    title: 'The receipt log is damaged',
    cause: 'The receipt log does not match its signed checkpoints, so the server adds no entries.',
    remedy: 'Operators run `orb log fsck` and restore a backup. There is no other way to repair it.',
  },
});
