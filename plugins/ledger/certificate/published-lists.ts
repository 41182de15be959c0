import type { Clock } from '../../../kernel/index.ts';
import { issuerName } from './credential.ts';
import { dayOf, midnightOf } from './day.ts';
import type { Issuer } from './issuer.ts';
import { listCredential } from './status-list.ts';
import type { CertificateReads } from './tables.ts';

/** What the lists are published from. */
export interface ListSource {
  readonly publicUrl: string;
  readonly installation: string;
  readonly reads: Pick<CertificateReads, 'given' | 'set'>;
  readonly issuer: Issuer;
  readonly clock: Clock;
}

/** The signed status lists. */
export interface PublishedLists {
  /** JSON text of a list, signed today; undefined when there is no such list. */
  get(list: number): Promise<string | undefined>;
  /** A bit has changed: what was signed before is not shown any more. */
  changed(): void;
}

/** Publishes status lists: each is signed once per day, key and change of a bit, and kept in memory. */
export function publishLists(source: ListSource): PublishedLists {
  const { publicUrl, installation, reads, issuer, clock } = source;
  const signed = new Map<number, { readonly when: string; readonly text: Promise<string> }>();
  const sign = async (list: number, day: string): Promise<string> => {
    const set = reads.set(list);
    const { document } = await issuer.secure(midnightOf(day), ({ did }) =>
      listCredential({ publicUrl, list, issuer: { id: did, name: issuerName(installation) }, day, set }),
    );
    return JSON.stringify(document);
  };
  return {
    async get(list) {
      // The first two are there from the beginning; others with their first certificate.
      if (list > 2 && reads.given(list) === 0) return undefined;
      const day = dayOf(clock.now());
      const when = `${day} ${issuer.identity().method}`;
      const kept = signed.get(list);
      if (kept?.when === when) return kept.text;
      const text = sign(list, day);
      signed.set(list, { when, text });
      // A failure is for whoever asked; the next one tries again.
      text.catch(() => signed.delete(list));
      return text;
    },
    changed: () => signed.clear(),
  };
}
