import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { tar, type ArchivedFile } from '../../receipts/contract.ts';
import type { BuildScope } from './scope.ts';

const own = 'plugins/clients/typescript';

/** Builds the tarball of the TypeScript client: one module, its declarations, its licences. */
export async function typescriptPackage(scope: BuildScope): Promise<Uint8Array> {
  const { root } = scope;
  const { code, map, packages } = await bundle(scope);
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const files: Readonly<Record<string, string>> = {
    LICENSE: text('LICENSE'),
    'README.md': text(`${own}/README.md`),
    'THIRD-PARTY-LICENSES': licencesOf(root, packages),
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

// The verifier is bundled as it is, but that WebCrypto verifies signatures; of the retry table only the rows that a
// client does not find by the status are needed.
const taken = (root: string): Plugin => ({
  name: 'taken',
  setup(setup) {
    setup.onResolve({ filter: /^tweetnacl$/ }, () => ({ path: join(root, own, 'src/ed25519.ts') }));
    setup.onLoad({ filter: /\/retry\.json$/ }, ({ path }) => {
      const { limits, problems } = JSON.parse(readFileSync(path, 'utf8')) as {
        readonly limits: object;
        readonly problems: Readonly<
          Record<string, { readonly status?: number; readonly retry: string; readonly kind: string }>
        >;
      };
      const rows = Object.entries(problems).flatMap(([code, { status = 0, ...row }]) => {
        const plain = row.retry === 'never' && row.kind === (status < 500 ? 'rejected' : 'unknown');
        return plain ? [] : [[code, row] as const];
      });
      return { contents: JSON.stringify({ limits, problems: Object.fromEntries(rows) }), loader: 'json' };
    });
  },
});

/** Bundles the client; `packages`: the names of those that became part of it. */
export async function bundle({ root, version }: Pick<BuildScope, 'root' | 'version'>) {
  const { metafile, outputFiles } = await build({
    ...{
      absWorkingDir: root,
      entryPoints: [join(root, own, 'src/index.ts')],
      outfile: join(root, 'dist/clients/index.js'),
    },
    ...{
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      write: false,
      metafile: true,
    },
    ...{ mainFields: ['module', 'main'], sourcemap: 'linked', sourcesContent: true, legalComments: 'none' },
    define: { ORB_CLIENT_VERSION: JSON.stringify(version) },
    logLevel: 'error',
    plugins: [taken(root)],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return {
    code: textOf('.js'),
    map: textOf('.map'),
    packages: inputs.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  };
}

function licencesOf(root: string, packages: readonly string[]): string {
  const texts = [...new Set(packages)].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const [file] = readdirSync(folder).filter((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no text of its licence`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
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
