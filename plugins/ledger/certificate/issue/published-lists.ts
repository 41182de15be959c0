import type { PluginScope } from '../../../../kernel/index.ts';
import type { CertificateSigner } from '../../../receipts/contract.ts';
import { issuerName } from './credential.ts';
import { dayOf, midnightOf } from '../format/day.ts';
import { createIssuer } from './issuer.ts';
import { listCredential, listUrl } from '../format/status-list.ts';
import type { CertificateReads, StoredCertificate } from './tables.ts';

/** The sources for publishing the lists. */
export interface ListSource extends Pick<PluginScope<unknown, never>, 'clock' | 'publicUrl' | 'store'> {
  readonly reads: CertificateReads;
  readonly signer: CertificateSigner;
}

/** The signed status lists. */
export type PublishedLists = ReturnType<typeof publishLists>;

/**
 * Publishes status lists: each is signed once per day, key and change of a bit, and kept in memory. A list keeps its id
 * and issuer when the public address changes, because issued certificates name them.
 */
export function publishLists(source: ListSource) {
  const { reads, signer, clock, store } = source;
  const signed = new Map<number, { readonly when: string; readonly text: Promise<string> }>();
  const addressOf = rememberedAddresses(reads);
  const sign = async (list: number, publicUrl: string, day: string): Promise<string> => {
    const set = await reads.set(list);
    const { document } = await createIssuer(publicUrl, signer).secure(midnightOf(day), ({ did }) =>
      listCredential({ publicUrl, list, issuer: { id: did, name: issuerName(store.installation) }, day, set }),
    );
    return JSON.stringify(document);
  };
  return {
    /** Answers the address under which certificates name a list; undefined while no certificate names it. */
    addressOf,
    /** Reads the JSON text of a list, signed today; undefined when there is no such list. */
    async get(list: number): Promise<string | undefined> {
      const address = await addressOf(list);
      // The first two lists exist from the beginning, each further list from its first certificate on.
      if (list > 2 && address === undefined) return undefined;
      const day = dayOf(clock.now());
      const publicUrl = address ?? source.publicUrl;
      const when = `${day} ${createIssuer(publicUrl, signer).identity().method}`;
      const kept = signed.get(list);
      if (kept?.when === when) return kept.text;
      const text = sign(list, publicUrl, day);
      signed.set(list, { when, text });
      // Only this caller gets the failure; the next caller tries again.
      text.catch(() => signed.get(list)?.text === text && signed.delete(list));
      return text;
    },
    /** Drops the signed lists after a bit has changed. */
    changed: (): void => signed.clear(),
  };
}

// Once a certificate is in a list, the address of the list never changes, so it is looked up once.
function rememberedAddresses({ newestIn }: ListSource['reads']): (list: number) => Promise<string | undefined> {
  const known = new Map<number, string>();
  return async (list) => {
    const found = known.get(list) ?? addressIn(await newestIn(list), list);
    if (found !== undefined) known.set(list, found);
    return found;
  };
}

function addressIn(certificate: StoredCertificate | undefined, list: number): string | undefined {
  const end = listUrl('', list);
  const named = certificate?.document.credentialStatus.find(({ statusListCredential: id }) => id.endsWith(end));
  return named?.statusListCredential.slice(0, -end.length);
}
