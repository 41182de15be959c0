import { expect } from 'chai';
import { letThrough } from '../../helpers/let-through.ts';
import type { TestPlatform } from '../../helpers/platform.ts';

/** The request of the example on the page of a route. */
export interface Sample {
  readonly method: string;
  readonly path: string;
  readonly keyed: boolean;
  readonly body: object | undefined;
}

/** Reads the example in curl from the page of an operation. */
export async function readSample(platform: TestPlatform, operationId: string): Promise<Sample> {
  const page = await letThrough(() => platform.call('GET', `/docs/api/${operationId}`, undefined, null));
  const [, shown = ''] = /<code id="sample-0">([^]*?)<\/code>/.exec(String(page.body)) ?? expect.fail(operationId);
  const text = shown
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('&amp;', '&');
  const [, told, address = ''] = /^curl (?:-X (\w+) )?'([^']+)'/.exec(text) ?? expect.fail(text);
  const [, json] = / -d '([^]*)'$/.exec(text) ?? [];
  return {
    method: told ?? (json === undefined ? 'GET' : 'POST'),
    path: address.slice(new URL(address).origin.length),
    keyed: text.includes('Authorization: Bearer'),
    body: json === undefined ? undefined : (JSON.parse(json.replaceAll(String.raw`'\''`, "'")) as object),
  };
}
