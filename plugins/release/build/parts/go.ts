import { join } from 'node:path';
import { printedBy } from '../../../kit/binary/printed-by.ts';
import { licenceOf } from './licence.ts';
import { textsIn } from './npm.ts';
import type { Part } from './part.ts';

/** Describes the policy compiler, the modules that are compiled into it, and the standard library of Go. */
export function goParts(root: string, version: string): readonly Part[] {
  const compiler: Part = {
    ...{ name: 'policy-compiler', version, purl: `pkg:generic/agent-orb-policy-compiler@${version}` },
    licence: 'Apache-2.0',
  };
  const part = (path: string, own: string, folder: string): Part => {
    const text = textsIn(folder);
    const purl = `pkg:golang/${path}@${encodeURIComponent(own)}`;
    return { name: path, version: own, purl, licence: licenceOf(text) ?? '', text, of: compiler.purl };
  };
  const [GOROOT = '', GOVERSION = ''] = go(root, ['env', 'GOROOT', 'GOVERSION']).trim().split('\n');
  const format = '{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}';
  const modules = new Set(go(root, ['list', '-deps', '-f', format, '.']).split('\n'));
  const rows = [...modules].filter((line) => line !== '').map((line) => line.split('\t'));
  return [
    compiler,
    part('std', GOVERSION.replace(/^go/, ''), GOROOT),
    ...rows.map(([path = '', own = '', folder = '']) => part(path, own, folder)).sort(byPurl),
  ];
}

function byPurl(one: Part, other: Part): number {
  return one.purl < other.purl ? -1 : 1;
}

// For the system for which the compiler is built: others have other dependencies.
function go(root: string, words: readonly string[]): string {
  const env = { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm', CGO_ENABLED: '0', GOFLAGS: '' };
  return printedBy('go', words, { cwd: join(root, 'plugins/policy/compiler'), env });
}
