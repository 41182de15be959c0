import { format } from 'oxfmt';

/** Writes a value as JSON in the format of the checkout. */
export async function formatted(value: object): Promise<string> {
  return (await format('value.json', JSON.stringify(value), { printWidth: 120 })).code;
}
