import { readFileSync } from 'node:fs';
import { expect } from 'chai';

// Imports and re-exports that are there at run time: `import type` is erased.
const runtimeImports = /^(?:import|export)\s(?!type\s)[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;

/** Collects what a file needs at run time, its own files followed. */
function collect(file: URL, packages: Set<string>, seen: Set<string>): void {
  if (seen.has(file.href)) return;
  seen.add(file.href);
  for (const [, from, bare] of readFileSync(file, 'utf8').matchAll(runtimeImports)) {
    const name = from ?? bare ?? '';
    if (name.startsWith('.')) collect(new URL(name, file), packages, seen);
    else packages.add(name);
  }
}

describe('the verifier', () => {
  it('needs three packages and files of its plugin, nothing of the kernel and nothing of Node', () => {
    const packages = new Set<string>();
    const files = new Set<string>();
    collect(new URL('../../../../plugins/receipts/verifier/verify.ts', import.meta.url), packages, files);
    const names = new Set([...packages].map((name) => name.replace(/^(@[^/]+\/[^/]+|[^/]+)\/.*$/, '$1')));
    expect([...names].sort()).to.deep.equal(['@noble/hashes', 'canonicalize', 'tweetnacl']);
    for (const file of files) expect(file).to.include('/plugins/receipts/');
    expect(files.size).to.be.greaterThan(10);
  });
});
