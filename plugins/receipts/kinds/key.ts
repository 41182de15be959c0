import type { Infer } from '../../../kernel/index.ts';
import { exactly, optional } from '../format/exactly.ts';
import { decodeBase64Url } from '../format/base64.ts';
import { thumbprint } from '../format/jwk.ts';
import type { OtherPredicate } from './predicate.ts';
import type { Rules } from './rule.ts';
import { id, kid, natural, origin, text } from '../format/schema-parts.ts';

/** Schema of the predicate of a signing key: the key was created, replaced another, or was revoked. */
export const keyPredicate = exactly({
  kid,
  facts: exactly({
    role: { type: 'string', enum: ['receipt', 'log', 'certificate'] },
    change: { type: 'string', enum: ['created', 'rotated', 'revoked', 'adopted', 'added'] },
    public_key: exactly({ kty: { const: 'OKP' }, crv: { const: 'Ed25519' }, x: kid }),
    previous_kid: optional(kid),
    from: optional(exactly({ origin, index: natural })),
    stands: optional({ type: 'array', items: exactly({ origin, index: natural }) }),
    reason: optional(text),
    principal: optional(id('prn')),
    origin: optional(origin),
    vkey: optional(text),
    previous_checkpoint: optional(text),
  }),
});
/** The predicate of a signing key, without its head. */
export type KeyPredicate = Infer<typeof keyPredicate>;

/** Lists the rules between the members of a key's fact. */
export function keyRules({ facts, issuer, kid: named }: OtherPredicate): Rules {
  // The schema has checked the types.
  const known = facts as KeyPredicate['facts'];
  const { change, from, origin: log, previous_checkpoint, previous_kid, reason, role, stands, vkey } = known;
  const raw = decodeBase64Url(known.public_key.x);
  const revoked = change === 'revoked';
  const [ofReceipts, ofLog] = [role === 'receipt', role === 'log'];
  return [
    [raw?.length === 32 && thumbprint(raw) === named, 'the key id is not that of the public key'],
    [ofLog === (log !== undefined) && ofLog === (vkey !== undefined), 'a log key alone names its log'],
    [
      previous_checkpoint === undefined || (ofLog && (change === 'created' || change === 'adopted')),
      'a new log or an adopted one alone carries a checkpoint',
    ],
    [change !== 'adopted' || (ofLog && !!previous_checkpoint), 'a log alone is adopted, with its last checkpoint'],
    [change !== 'rotated' || (!!previous_kid && previous_kid !== named), 'a rotation names the key before it'],
    [!!from === revoked && (!revoked || !!reason), 'a revocation alone has a position, and a reason'],
    [stands === undefined || revoked, 'a revocation alone has bounds in other logs'],
    [
      change !== 'added' || (ofReceipts && issuer.kid !== named),
      'a receipt key alone is added, and by one that is known',
    ],
    ...(ofReceipts ? signerRules(known, named, issuer.kid) : []),
  ];
}

function signerRules({ change, previous_kid }: KeyPredicate['facts'], named: unknown, signer: string): Rules {
  return [
    // A receipt key's entry is signed by the key itself when created, by the old key when rotated, by the successor
    // when revoked.
    [change !== 'created' || signer === named, 'a new receipt key is made known by another key'],
    [change !== 'rotated' || signer === previous_kid, 'a receipt key is rotated by another than the old one'],
    [change !== 'revoked' || signer !== named, 'a receipt key is revoked by itself'],
  ];
}
