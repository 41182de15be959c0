import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { gzipped, tarball } from '../../kit/packages/tar.ts';
import table from '../retry/retry.json' with { type: 'json' };
import type { BuildScope } from './scope.ts';

const own = 'plugins/clients/typescript';

/** Builds the tarball of the TypeScript client: one module and its declarations. */
export async function typescriptPackage(scope: BuildScope): Promise<Uint8Array> {
  const { license, text, version } = scope;
  const { code, map } = await bundle(scope);
  const manifest = JSON.parse(text(`${own}/package.json`)) as object;
  const files: Readonly<Record<string, string>> = {
    LICENSE: text('LICENSE'),
    'README.md': text(`${own}/README.md`),
    'index.d.ts': declarations(text(`${own}/src/surface.ts`), text(`${own}/src/declared.ts`)),
    'index.js': code,
    'index.js.map': map,
    'package.json': `${JSON.stringify({ ...manifest, version, license }, null, 2)}\n`,
  };
  const entries = Object.entries(files).map(([name, content]) => ({ path: `package/${name}`, content }));
  return gzipped(tarball(entries, seconds));
}

// 1985-10-26T08:15:00Z, as npm writes it.
const seconds = 499_162_500;

/** Puts the files of the declarations together: one imports types of the other alone. */
function declarations(surface: string, declared: string): string {
  const own = declared.replace(/^import type \{[^}]*\} from '.\/surface\.ts';\n/m, '');
  return `${surface}\n${own}`.replaceAll(/^ *\/\/ eslint-.*\n/gm, '');
}

// Of the retry table, the package has the rows that do not follow from the status.
const fewRows: Plugin = {
  name: 'few-rows',
  setup({ onLoad }) {
    const { note: _, problems, ...rest } = table;
    const rows = Object.entries(problems).filter(
      ([, { kind, retry, status }]) => retry !== 'never' || kind !== (status < 500 ? 'rejected' : 'unknown'),
    );
    const contents = JSON.stringify({ ...rest, problems: Object.fromEntries(rows) });
    onLoad({ filter: /\/retry\.json$/ }, () => ({ contents, loader: 'json' }));
  },
};

/** Bundles the client. */
export async function bundle({ root, version }: Pick<BuildScope, 'root' | 'version'>, minify = true) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, own, 'src/index.ts')],
    outfile: join(root, 'dist/clients/index.js'),
    ...{ bundle: true, minify, format: 'esm', platform: 'neutral', target: 'es2022', write: false },
    ...{ sourcemap: 'linked', sourcesContent: true, legalComments: 'none', logLevel: 'error' },
    define: { ORB_CLIENT_VERSION: JSON.stringify(version) },
    plugins: [fewRows],
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { code: textOf('.js'), map: textOf('.map') };
}
