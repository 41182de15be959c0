import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { expect } from 'chai';
import { Linter } from 'eslint';
import { packageDir } from '../../../helpers/folder.ts';
import { readModule, shortOf } from '../../../../kernel/http/html/module-text.ts';
import { nameShort } from '../../../../kernel/http/html/short-names.ts';

describe('a module with short names', () => {
  it('is the same program, for the modules of pages', () => {
    const sources = ['console', 'receipts'].flatMap((plugin) =>
      readdirSync(join(packageDir, 'plugins', plugin), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(packageDir, 'plugins', plugin, name)),
    );
    const packages = ['preact', 'preact/hooks', 'htm', '@noble/hashes/sha2.js'];
    const files = [...sources, ...packages.map((name) => fileURLToPath(import.meta.resolve(name)))];
    expect(files).to.have.length.above(200);
    let shorter = 0;
    for (const file of files) {
      const source = stripTypeScriptTypes(readFileSync(file, 'utf8'));
      if (/^export \*/m.test(source)) continue;
      const module = readModule(source, parse(source, { ecmaVersion: 'latest', sourceType: 'module' }));
      const written = (): string =>
        `${module.imported.map(({ variable }) => `let ${shortOf(variable)};\n`).join('')}${module.write()}`;
      const before = written().replace('const *default=', 'const whole=');
      nameShort(module.references, [module.scope]);
      const after = written();
      expect(numbered(after), file).to.equal(numbered(before));
      shorter += before.length - after.length;
    }
    expect(shorter).to.be.above(100_000);
  }).timeout(120_000);
});

/** Writes a module with numbers in place of the names that it declares, as ESLint finds them. */
function numbered(text: string): string {
  const linter = new Linter();
  const [fault] = linter.verify(text, { languageOptions: { ecmaVersion: 'latest', sourceType: 'module' } });
  if (fault?.fatal === true) throw new Error(fault.message);
  const places = new Map<number, { readonly end: number; readonly name: string }>();
  let count = 0;
  for (const { variables } of linter.getSourceCode().scopeManager?.scopes ?? [])
    for (const { identifiers, references } of variables) {
      if (identifiers.length > 0) count += 1;
      for (const node of [...identifiers, ...(identifiers.length > 0 ? references.map((one) => one.identifier) : [])]) {
        const [start = 0, end = 0] = node.range ?? [];
        places.set(start, { end, name: `${isShorthand(node) ? `${node.name}:` : ''}#${count}` });
      }
    }
  let at = 0;
  let out = '';
  for (const [start, { end, name }] of [...places].sort(([one], [other]) => one - other)) {
    out += text.slice(at, start) + name;
    at = end;
  }
  return out + text.slice(at);
}

// `{ name }`, and `{ name = 1 }` in a pattern.
function isShorthand(node: object): boolean {
  const parent = 'parent' in node ? node.parent : undefined;
  if (typeof parent !== 'object' || parent === null || !('type' in parent)) return false;
  if (parent.type === 'AssignmentPattern') return 'left' in parent && parent.left === node && isShorthand(parent);
  return parent.type === 'Property' && 'shorthand' in parent && parent.shorthand === true;
}
