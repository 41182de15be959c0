import { similarTo } from '../../../kernel/index.ts';

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words?: string;
}

const fields: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31, words: 'L for the last day' },
  { name: 'month', least: 1, most: 12, words: 'JAN to DEC' },
  { name: 'weekday', least: 0, most: 7, words: 'SUN to SAT; 0 and 7 are Sunday, 1 is Monday' },
];

/**
 * Finds the first number of a pattern that is out of the range of its field, and says so in the numbers of the pattern:
 * croner counts days and months from zero. Undefined when there is none.
 */
export function patternFault(cron: string): string | undefined {
  const parts = cron.trim().split(/\s+/);
  if (cron.trim().startsWith('@')) return undefined;
  if (parts.length !== fields.length) return `it has ${parts.length} field${parts.length === 1 ? '' : 's'}`;
  for (const [index, field] of fields.entries()) {
    const fault = fieldFault(parts[index] ?? '', field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function fieldFault(text: string, { name, least, most, words }: Field): string | undefined {
  for (const item of text.split(',')) {
    const [range = '', nth] = (item.split('/', 1)[0] ?? '').split('#');
    const wrong = range.match(/\d+/g)?.find((number) => Number(number) < least || Number(number) > most);
    const known = `${least} to ${most}${words === undefined ? '' : ` (${words})`}`;
    if (wrong !== undefined) return `the ${name} ${wrong} is out of range; allowed: ${known}`;
    if (nth !== undefined && /^\d+$/.test(nth) && !/^[1-5]$/.test(nth))
      return `${item} names week ${nth} of the month; the weeks are 1 to 5, and L is the last`;
  }
  return undefined;
}

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
