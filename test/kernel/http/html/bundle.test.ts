import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { pathToFileURL } from 'node:url';
import { bundledScript } from '../../../../kernel/http/html/bundle.ts';

describe('the script of a page', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-bundle-'));
    write(
      'shared.ts',
      `const seen: string[] = [];\nexport function note(text: string): void {\n  seen.push(text);\n}\nexport const all = (): string => seen.join(' ');\n`,
    );
    write(
      'core.ts',
      `import { all, note } from './shared.ts';\nnote('core');\n(globalThis as { all?: unknown }).all = all;\n`,
    );
    write('words.ts', `export const word = 'part';\n`);
    write('part.ts', `import { note } from './shared.ts';\nimport { word } from './words.ts';\nnote(word);\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const at = (name: string): URL => pathToFileURL(join(folder, name));
  const page = () => {
    const context = createContext({});
    return { run: (text: string): unknown => runInContext(text, context) as unknown };
  };

  it('holds a module with all that it imports', async () => {
    const { run } = page();
    run(await bundledScript(at('core.ts'))());
    expect(run('all()')).to.equal('core');
    expect(run('globalThis.orbModules')).to.equal(undefined);
  });

  it('shares its modules with its parts, which hold only what it lacks', async () => {
    const { run } = page();
    const part = await bundledScript(at('part.ts'), at('core.ts'))();
    run(await bundledScript(at('core.ts'), 'core')());
    run(part);
    expect(run('all()')).to.equal('core part');
    expect(part).to.contain("'part'").and.not.to.contain('seen');
  });

  it('is refused by a part of another version, and without its core', async () => {
    const part = await bundledScript(at('part.ts'), at('core.ts'))();
    expect(() => page().run(part)).to.throw('another version');
    write(
      'shared.ts',
      `export const note = (_: string): void => undefined;\nexport const all = (): string => 'new';\n`,
    );
    const { run } = page();
    run(await bundledScript(at('core.ts'), 'core')());
    expect(() => run(part)).to.throw('another version');
    expect(run('all()')).to.equal('new');
  });
});
