import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadDefinition } from '../../../kernel/boot/definition-file.ts';

describe('a file outside the tree', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'orb-definition-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function loaded(): Promise<{ definition?: unknown; digest?: string; faults: string[] }> {
    const faults: string[] = [];
    return { ...(await loadDefinition(join(folder, 'main.ts'), 'path', faults)), faults };
  }
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

  it('is the same object while it and what it imports stay the same, and another one when they change', async () => {
    write('part.ts', 'export const part = 1;');
    write('main.ts', `import { part } from './part.ts';\nexport default { part };`);
    const first = await loaded();
    expect(first.definition).to.deep.equal({ part: 1 });
    expect((await loaded()).definition).to.equal(first.definition);
    write('part.ts', 'export const part = 2;');
    const second = await loaded();
    expect(second.definition).to.deep.equal({ part: 2 });
    expect(second.digest).not.to.equal(first.digest);
  });

  it('does not change with the types that it imports', async () => {
    write('types.ts', 'export type Part = number;');
    write('main.ts', `import type { Part } from './types.ts';\nconst part: Part = 1;\nexport default { part };`);
    const { digest } = await loaded();
    write('types.ts', 'export type Part = number | string;');
    expect((await loaded()).digest).to.equal(digest);
  });

  it('may speak of imports that are not there', async () => {
    write('main.ts', `// import { part } from './gone.ts';\nexport default { part: 1 };`);
    expect(await loaded()).to.deep.include({ definition: { part: 1 }, faults: [] });
  });

  it('may speak of imports of a folder', async () => {
    mkdirSync(join(folder, 'part'));
    write('main.ts', `// import it by './part'\nexport default { part: 1 };`);
    expect(await loaded()).to.deep.include({ definition: { part: 1 }, faults: [] });
  });

  it('may import in a circle', async () => {
    write('part.ts', `import './main.ts';\nexport const part = 1;`);
    write('main.ts', `import { part } from './part.ts';\nexport default () => ({ part });`);
    expect((await loaded()).definition).to.deep.equal({ part: 1 });
  });

  for (const [text, fault] of [
    ['export const part = 1;', 'path: the file has no default export of a definition'],
    ['export default 7;', 'path: the file has no default export of a definition'],
    ['throw new Error("broken");', 'path: cannot load the file (broken)'],
  ] as const)
    it(`is refused: ${text}`, async () => {
      write('main.ts', text);
      expect((await loaded()).faults).to.deep.equal([fault]);
    });

  it('that is not there is refused', async () => {
    expect((await loaded()).faults).to.deep.equal(['path: there is no such file']);
  });
});
