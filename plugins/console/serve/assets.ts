import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { conditionOf, namesTag, reply, type Call, type Reply } from '../../../kernel/index.ts';
import { dividedScript } from '../../pages/contract.ts';

/** A file of the console: its text, and the tag of its version. */
interface Asset {
  readonly text: string;
  readonly tag: string;
}

/** Makes the text of a file at the first request, once. */
type Source = () => Promise<Asset>;

const files = dividedScript(new URL('../app/main.ts', import.meta.url));

/** The first script of the console. */
export const scriptAsset = kept(async () => (await files())['app.js'] ?? '');

/** Finds a part of the script, which is loaded when one of its screens is opened; undefined if this version has none of the name. */
export async function partAsset(name: string): Promise<Source | undefined> {
  const parts = await files();
  const text = Object.hasOwn(parts, `app/${name}`) ? parts[`app/${name}`] : undefined;
  return text === undefined ? undefined : kept(() => Promise.resolve(text));
}

/**
 * Makes the stylesheet of the console, without the accent of the operator. That of the public pages comes first: the
 * console has its tokens and its parts.
 */
export function createStyle(ofPages: string): Source {
  return kept(async () => ofPages + (await readFile(new URL('../app/app.css', import.meta.url), 'utf8')));
}

function kept(read: () => Promise<string>): Source {
  let asset: Promise<Asset> | undefined;
  return () =>
    (asset ??= read().then(
      (text) => ({ text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }),
      (error: unknown) => {
        asset = undefined;
        throw error;
      },
    ));
}

/** Answers a file of the console, or 304 when the browser has its present version. */
export async function sendAsset(
  source: Source,
  type: string,
  { headers }: Pick<Call<unknown, unknown, unknown, unknown>, 'headers'>,
): Promise<Reply> {
  const { text, tag } = await source();
  const common = { ETag: tag, 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' };
  if (namesTag(conditionOf(headers).none, tag)) return reply({ status: 304, headers: common });
  return reply({ type, headers: common, body: text });
}
