import { defaultBrand, sectionsOf, type Frame } from '../html/frame.ts';
import type { Route, ServiceName } from '../route.ts';
import type { HttpOptions, ListenOptions } from './site.ts';

type Options = Pick<HttpOptions, 'brand' | 'listen' | 'publicUrl' | 'version'>;

/** Makes what the pages of one listener have in common; links to services of other listeners are absolute. */
export function frameOf(options: Options, here: ListenOptions, routes: readonly Route[]): Frame {
  const { brand = defaultBrand, listen, publicUrl, version } = options;
  const baseOf = (service: ServiceName): string | undefined => {
    if (service === 'shared' || here.services.includes(service)) return '';
    const other = listen.find(({ services }) => services.includes(service));
    return other === undefined ? undefined : addressOf(other, options);
  };
  return { brand, version, publicUrl, sections: sectionsOf(routes, baseOf) };
}

function addressOf(listen: ListenOptions, { listen: [first], publicUrl }: Options): string {
  if (listen.publicUrl !== undefined) return listen.publicUrl;
  if (listen === first) return publicUrl;
  // Nobody can call an address that stands for all; its port is open under the name of the installation.
  const address = listen.address.replace(/^(?:0\.0\.0\.0|\[::\])(?=:)/, () => new URL(publicUrl).hostname);
  return `${listen.tls === undefined ? 'http' : 'https'}://${address}`;
}
