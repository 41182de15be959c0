import { given, type Log } from '../../../kernel/index.ts';
import { authStrengths } from '../signals/words.ts';
import type { Proof, Signature } from '../sources/auth/proof.ts';
import type { Vendor } from '../sources/vendors/vendor.ts';

const longestFault = 500;
const noProof =
  'the delivery has no signature that this source accepts: check the secret of this source, and that nothing on the way changes the body';

/**
 * Makes a vendor of a plugin whose defects refuse or identify a delivery plainly: a signature that cannot be checked
 * proves nothing, a delivery without a readable id is identified by its bytes, and a delivery that is stored is
 * acknowledged. Of an error the kind alone is logged: its text may hold a secret, which the check has.
 */
export function guardedVendor(vendor: Vendor, log: Pick<Log, 'warn'>): Vendor {
  const tried = <T>(what: string, call: () => T, otherwise: T): T => {
    try {
      return call();
    } catch (error) {
      const kind = error instanceof Error ? error.name : typeof error;
      log.warn({ vendor: vendor.name, kind }, `the vendor ${vendor.name} of a plugin failed in \`${what}\``);
      return otherwise;
    }
  };
  const { answer, signature } = vendor;
  const guardedAnswer = (payload: unknown) => tried('answer', () => answer?.(payload), undefined);
  return {
    ...vendor,
    deliveryKey: (...args) => tried('deliveryKey', () => keyOf(vendor.deliveryKey(...args)), undefined),
    ...given({ signature: signature && guardedSignature(signature, tried), answer: answer && guardedAnswer }),
  };
}

type Tried = <T>(what: string, call: () => T, otherwise: T) => T;

function guardedSignature(signature: Signature, tried: Tried): Signature {
  const fault: Signature['fault'] = (...args) =>
    tried('fault', () => String(signature.fault?.(...args) ?? noProof), noProof)
      .slice(0, longestFault)
      .toWellFormed();
  return {
    ...given({ fault: signature.fault && fault }),
    verify: (...args) => tried('verify', () => proofOf(signature.verify(...args)), undefined),
    sign: (...args) => tried('sign', () => signature.sign(...args), undefined),
  };
}

// A plugin may be plain JavaScript: what is no proof proves nothing.
function proofOf(answer: unknown): Proof | undefined {
  if (answer === undefined) return undefined;
  const { scheme, strength } = Object(answer) as Partial<Proof>;
  if (typeof scheme === 'string' && authStrengths.some((one) => one === strength)) return answer as Proof;
  throw new TypeError('verify returned no proof');
}

function keyOf(key: unknown): string | undefined {
  if (typeof key === 'number') return String(key);
  return typeof key === 'string' && key !== '' ? key : undefined;
}
