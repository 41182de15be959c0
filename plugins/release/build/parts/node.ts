import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from './part.ts';

// As LICENSE of Node states them (github.com/nodejs/node, file LICENSE), by the names of `process.versions`.
const licences: Readonly<Record<string, string>> = {
  ...{
    acorn: 'MIT',
    ada: 'MIT',
    amaro: 'MIT',
    ares: 'MIT',
    brotli: 'MIT',
    cjs_module_lexer: 'MIT',
    cldr: 'Unicode-3.0',
  },
  ...{ icu: 'Unicode-3.0', llhttp: 'MIT', merve: 'MIT', nbytes: 'MIT', ncrypto: 'MIT', nghttp2: 'MIT', nghttp3: 'MIT' },
  ...{ ngtcp2: 'MIT', openssl: 'Apache-2.0', simdjson: 'Apache-2.0', simdutf: 'MIT', sqlite: 'blessing' },
  ...{ tz: 'LicenseRef-public-domain', undici: 'MIT', unicode: 'Unicode-3.0', uv: 'MIT', uvwasi: 'MIT' },
  ...{ v8: 'BSD-3-Clause', zlib: 'Zlib', zstd: 'BSD-3-Clause' },
};
// Numbers of binary interfaces, not of parts.
const interfaces = ['node', 'modules', 'napi'];

/** Describes Node and the parts that a runtime says it has; the text of its licence holds those of its parts. */
export function nodeParts(runtime: string, text: string): readonly Part[] {
  const said = execFileSync(runtime, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' });
  const versions = JSON.parse(said) as Readonly<Record<string, string>>;
  const version = versions['node'] ?? '';
  const node: Part = { name: 'node', version, purl: `pkg:generic/node@${version}`, licence: 'MIT', text };
  const parts = Object.entries(versions)
    // Without a version it is not built in.
    .filter(([name, own]) => !interfaces.includes(name) && own !== '')
    .map(([name, own]): Part => {
      const purl = `pkg:generic/${name}@${encodeURIComponent(own)}`;
      return { name, version: own, purl, licence: licences[name] ?? '', of: node.purl };
    });
  return [node, ...parts];
}

/** Describes the SQLite that is compiled into the database driver. */
export function driverSqlite(root: string, of: string): Part {
  const header = readFileSync(join(root, 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.h'), 'utf8');
  const version = /^#define SQLITE_VERSION\s+"([\d.]+)"/m.exec(header)?.[1];
  if (version === undefined) throw new Error('better-sqlite3 does not say which SQLite it holds');
  return { name: 'sqlite', version, purl: `pkg:generic/sqlite@${version}`, licence: 'blessing', of };
}
