import { similarTo } from '../../../kernel/index.ts';

/** Says what is wrong with the name of a time zone, and which one was most likely meant. Undefined when it is one. */
export function zoneFault(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return undefined;
  } catch {
    const meant = meantZone(timeZone);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return `is not a time zone of the IANA database, such as Europe/Berlin${hint}`;
  }
}

// People write the city alone, or misspell one part.
function meantZone(written: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1);
  const near = similarTo(written, zones);
  if (near !== undefined) return near;
  const cities = new Map(zones.map((zone) => [cityOf(zone), zone]));
  const city = similarTo(cityOf(written), cities.keys());
  return city === undefined ? undefined : cities.get(city);
}
