import { apiServices, type Route } from '../route/route.ts';
import type { Section } from '../route/presentation.ts';
import { isLoopback } from '../connection/address.ts';
import type { HttpOptions, ListenOptions } from './site.ts';

type Addresses = Pick<HttpOptions, 'listen' | 'publicUrl' | 'trustProxy'>;
/**
 * Lists the sections that pages of a listener lead to: the routes that declare one, in the order of their positions.
 * Links to services of other listeners are absolute; a service without a listener has none.
 */
export function sectionsOf(options: Addresses, here: ListenOptions, routes: readonly Route[]): readonly Section[] {
  const { listen } = options;
  const baseOf = ({ service, whole }: Route): string | undefined => {
    if (whole === true) return isWhole(here, options) ? '' : wholeUrlOf(options);
    if (service === 'shared' || here.services.includes(service)) return '';
    const other = listen.find(({ services }) => services.includes(service));
    return other === undefined ? undefined : addressOf(other, options);
  };
  return routes
    .flatMap((route) => {
      const { path, navigation } = route;
      const base = baseOf(route);
      return navigation === undefined || base === undefined ? [] : [{ path, href: base + path, ...navigation }];
    })
    .sort((one, other) => one.position - other.position);
}

/**
 * Says whether an address has all services and is reached by TLS, of its own or of a proxy, or on loopback: the places
 * where a browser says which site a request comes from.
 */
export function isWhole({ address, services, tls }: ListenOptions, { trustProxy }: Addresses): boolean {
  const host = address.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  const told = tls !== undefined || isLoopback(host) || trustProxy.length > 0;
  return told && apiServices.every((service) => services.includes(service));
}

/** Returns the base of links to the first such address; undefined: there is none. */
export function wholeUrlOf(options: Addresses): string | undefined {
  const found = options.listen.find((one) => isWhole(one, options));
  return found === undefined ? undefined : addressOf(found, options);
}

function addressOf(listen: ListenOptions, { listen: [first], publicUrl }: Addresses): string {
  if (listen.publicUrl !== undefined) return listen.publicUrl;
  if (listen === first) return publicUrl;
  // A caller cannot use an address that means all addresses; its port is open under the name of the installation.
  const address = listen.address.replace(/^(?:0\.0\.0\.0|\[::\])(?=:)/, () => new URL(publicUrl).hostname);
  return `${listen.tls === undefined ? 'http' : 'https'}://${address}`;
}
