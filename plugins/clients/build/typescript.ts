import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { tar, type ArchivedFile } from '../../receipts/contract.ts';
import { statementKinds } from '../statements.ts';
import type { BuildScope } from './scope.ts';

const own = 'plugins/clients/typescript';

/** Builds the tarball of the TypeScript client: one module and its declarations. */
export async function typescriptPackage(scope: BuildScope): Promise<Uint8Array> {
  const { root } = scope;
  const { code, map } = await bundle(scope);
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const files: Readonly<Record<string, string>> = {
    LICENSE: text('LICENSE'),
    'README.md': text(`${own}/README.md`),
    'index.d.ts': declarations(text(`${own}/src/surface.ts`), text(`${own}/src/declared.ts`)),
    'index.js': code,
    'index.js.map': map,
    'package.json': `${JSON.stringify(manifest(scope), null, 2)}\n`,
  };
  return packed(Object.entries(files).map(([name, content]) => ({ path: `package/${name}`, content })));
}

function manifest({ license, version }: BuildScope): object {
  return {
    name: 'agent-orb',
    version,
    description: 'Runs Orbs of an Agent Orb Platform, and verifies every receipt.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    types: './index.d.ts',
  };
}

/** Puts the files of the declarations together: one imports types of the other alone. */
export function declarations(surface: string, declared: string): string {
  return `${surface}\n${declared.replace(/^import type \{[^}]*\} from '.\/surface\.ts';\n/m, '')}`.replaceAll(
    /^ *\/\/ eslint-.*\n/gm,
    '',
  );
}

// The shapes of statements are data, made here; of the retry table, what follows from the status is left out.
const asData = (): Plugin => ({
  name: 'data',
  setup(setup) {
    setup.onLoad({ filter: /\/clients\/statements\.ts$/ }, () => ({
      contents: `const kinds = ${JSON.stringify(statementKinds())};\nexport const statementKinds = () => kinds;`,
    }));
    setup.onLoad({ filter: /\/retry\.json$/ }, ({ path }) => ({
      contents: fewRows(readFileSync(path, 'utf8')),
      loader: 'json',
    }));
  },
});

interface Table {
  readonly note: string;
  readonly problems: Readonly<
    Record<string, { readonly status: number; readonly retry: string; readonly kind: string }>
  >;
}

function fewRows(table: string): string {
  const { note: _, ...read } = JSON.parse(table) as Table;
  const rows = Object.entries(read.problems).flatMap(([code, { status, ...row }]) => {
    const follows = row.retry === 'never' && row.kind === (status < 500 ? 'rejected' : 'unknown');
    return follows ? [] : [[code, row] as const];
  });
  return JSON.stringify({ ...read, problems: Object.fromEntries(rows) });
}

/** Bundles the client. */
export async function bundle({
  minify = true,
  root,
  version,
}: Pick<BuildScope, 'root' | 'version'> & { readonly minify?: boolean }) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, own, 'src/index.ts')],
    outfile: join(root, 'dist/clients/index.js'),
    ...{ bundle: true, minify, format: 'esm', platform: 'neutral', target: 'es2022', write: false },
    ...{ sourcemap: 'linked', sourcesContent: true, legalComments: 'none', logLevel: 'error' },
    define: { ORB_CLIENT_VERSION: JSON.stringify(version) },
    plugins: [asData()],
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { code: textOf('.js'), map: textOf('.map') };
}

// 1985-10-26T08:15:00Z, as npm writes it.
const seconds = 499_162_500;

async function packed(files: readonly ArchivedFile[]): Promise<Uint8Array> {
  const sorted = [...files].sort((one, other) => (one.path < other.path ? -1 : 1));
  const chunks: Uint8Array[] = [];
  const each = (async function* () {
    yield* sorted;
  })();
  for await (const chunk of tar(each, seconds)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks), { level: 9 });
}
