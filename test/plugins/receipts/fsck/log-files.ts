import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Reply } from '../../../../kernel/index.ts';
import { tilePath, widthAt } from '../../../../plugins/receipts/log/pure/tree.ts';
import type { Harness } from '../harness.ts';
import { logOf } from '../log-at-once.ts';

/** Answers what the log has at a path below `/log`; throws when it has none. */
export async function logFile(receipts: Harness, path: string): Promise<Uint8Array | string> {
  const [file = '', search] = path.split('?');
  const [first = '', ...rest] = file.split('/');
  const sharded = /^\d/.test(first);
  const [base, parts] = sharded ? ['/log/{shard}', rest] : ['/log', [first, ...rest]];
  const names = ['level', 'first', 'second', 'third', 'fourth'].slice(0, parts.length - 1);
  const tail = parts[0] === 'tile' ? ['tile', ...names.map((name) => `{${name}}`)] : parts;
  const params = Object.fromEntries(names.map((name, at) => [name, parts[at + 1]]));
  const route = [base, ...tail].join('/');
  const query = Object.fromEntries(new URLSearchParams(search));
  const reply = await receipts.call(route, sharded ? { ...params, shard: first } : params, {}, query);
  const { body } = reply as Reply;
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** Names the files of a small log: checkpoint, bundles, tiles. */
export function pathsOf(size: number): string[] {
  const tiles = [0, 1].flatMap((level) => {
    const paths: string[] = [];
    for (let n = 0; widthAt(level, n, size) > 0; n++)
      paths.push(tilePath({ level, n, width: widthAt(level, n, size) }));
    return paths;
  });
  const bundles: string[] = [];
  for (let n = 0; widthAt(0, n, size) > 0; n++)
    bundles.push(tilePath({ level: 'entries', n, width: widthAt(0, n, size) }));
  return ['checkpoint', ...tiles, ...bundles];
}

/** Copies all shards of a log into a folder, as `/log` serves them. */
export async function mirror(receipts: Harness, folder: string): Promise<void> {
  const { heads } = logOf(receipts);
  const all = heads();
  const save = async (path: string): Promise<void> => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), await logFile(receipts, path));
  };
  await save('policy');
  for (const [at, { origin, tree_size: size }] of all.entries())
    for (const path of pathsOf(size)) {
      await save(`${origin.split('/').at(-1) ?? ''}/${path}`);
      if (at === all.length - 1) await save(path);
    }
}

/** A log at an address; `change` may alter a file, or take it away by undefined. */
export interface ServedLog {
  readonly url: string;
  change: (path: string, body: Buffer) => Buffer | undefined;
  close(): void;
}

/** Serves the log of a harness over HTTP. */
export async function serveLog(receipts: Harness): Promise<ServedLog> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice('/log/'.length);
    logFile(receipts, path).then(
      (body) => {
        const changed = served.change(path, Buffer.from(body));
        if (changed === undefined) response.writeHead(404).end();
        else response.end(changed);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`;
  const served: ServedLog = { url, change: (_, body) => body, close: () => server.close() };
  return served;
}
