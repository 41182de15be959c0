import type { Signal } from '../signals/signal.ts';

const ownPages = /^\/(status(\.html|\/.*)?|api\/v2\/.*)$/;
const addressLabels = ['instance', 'target', 'url'] as const;

/**
 * Says whether a signal stems from what the platform says of itself: its metrics or its status page. Such a signal never
 * opens, joins or keeps an incident, since that incident would keep the signal.
 */
export function isOwn({ labels, own, url, outsider_labels }: OwnFacts, publicUrl: string): boolean {
  if (own === true) return true;
  const told = outsider_labels ? [] : addressLabels.map((name) => labels[name]);
  return [url, ...told].some((address) => address !== undefined && isOwnPage(address, publicUrl));
}

type OwnFacts = Pick<Signal, 'labels' | 'own' | 'url' | 'outsider_labels'>;

function isOwnPage(address: string, publicUrl: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(publicUrl)) return false;
  const [asked, own] = [new URL(address), new URL(publicUrl)];
  const base = own.pathname.replace(/\/$/, '');
  return asked.host === own.host && asked.pathname.startsWith(base) && ownPages.test(asked.pathname.slice(base.length));
}
