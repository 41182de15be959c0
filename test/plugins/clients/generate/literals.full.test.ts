import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { typedOrbs } from '../../../../plugins/clients/generate/orbs.ts';
import { pythonFile } from '../../../../plugins/clients/generate/python.ts';
import { typescriptFile } from '../../../../plugins/clients/generate/typescript.ts';
import { need } from '../../../helpers/needs.ts';
import { runPython } from '../../../helpers/python.ts';
import { installClient } from '../built.ts';
import { installWheel } from '../python/installed.ts';
import { randomLiterals } from './literals.ts';

const count = Number(process.env['CLIENT_SCHEMAS'] ?? 8);
const seed = Number(process.env['CLIENT_SEED'] ?? 1);

// The errors without their notes: those of an overload name every Orb.
const faults = `import sys
from mypy import api
said, problems, _ = api.run(sys.argv[1:])
print(problems, *(line for line in said.splitlines() if ": error: " in line), sep="\\n")
`;

describe(`the types of ${count} random schemas (seed ${seed})`, function () {
  this.timeout(120_000 + count * 500);
  const { literals, orbs } = randomLiterals(count, seed);

  it('are of values that fit, and of others', () => {
    const fitting = literals.filter(({ fits }) => fits).length;
    expect(fitting).to.be.greaterThan(literals.length / 5);
    expect(literals.length - fitting).to.be.greaterThan(literals.length / 5);
  });

  it('let TypeScript take exactly the values that fit', async () => {
    const installed = await installClient();
    try {
      writeFileSync(join(installed.folder, 'orbs.d.ts'), typescriptFile(typedOrbs(orbs), 'a test', false));
      const lines = literals.map(
        ({ orb, value }, at) => `export const v${at}: InputsOf<'test.orb${orb}@1.0.0'> = ${JSON.stringify(value)};`,
      );
      const program = join(installed.folder, 'program.ts');
      writeFileSync(program, ["import type { InputsOf } from 'agent-orb';", ...lines].join('\n'));
      const found = ts.getPreEmitDiagnostics(
        ts.createProgram([program, join(installed.folder, 'orbs.d.ts')], {
          ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, noEmit: true, strict: true, types: [] },
          lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
          ...{ moduleResolution: ts.ModuleResolutionKind.Bundler, exactOptionalPropertyTypes: true },
        }),
      );
      const refused = new Set(found.map(({ file, start = 0 }) => file?.getLineAndCharacterOfPosition(start).line));
      const differ = literals.filter(({ fits }, at) => fits === refused.has(at + 1));
      expect(differ.map((one) => ({ ...one, schema: orbs[one.orb]?.inputs_schema }))).to.deep.equal([]);
    } finally {
      installed.remove();
    }
  });

  it('let mypy take every value that fits, and refuse most others', async function () {
    need(this, 'python');
    const wheel = await installWheel();
    try {
      writeFileSync(join(wheel.folder, 'orbs.py'), pythonFile(typedOrbs(orbs), 'a test'));
      const values = literals.map(({ value }) => JSON.stringify(JSON.stringify(value)));
      // A literal of Python is what its repr says.
      const written = `import json\nfor text in [${values.join(', ')}]:\n    print(repr(json.loads(text)))\n`;
      writeFileSync(join(wheel.folder, 'written.py'), written);
      const reprs = (await wheel.run([join(wheel.folder, 'written.py')])).trimEnd().split('\n');
      const lines = literals.map(({ orb }, at) => `orb.run("test.orb${orb}@1.0.0", ${reprs[at]})`);
      const head = ['from orbs import Orb', 'orb = Orb("http://orb.test", "orb_test_x", pin="tofu")'];
      writeFileSync(join(wheel.folder, 'program.py'), [...head, ...lines, ''].join('\n'));
      const said = await runPython(['-c', faults, '--strict', 'program.py'], { cwd: wheel.folder });
      const refused = new Set([...said.matchAll(/^program\.py:(\d+): error/gm)].map(([, line]) => Number(line)));
      expect(literals.filter(({ fits }, at) => fits && refused.has(at + 3))).to.deep.equal([]);
      // True is a number in Python, and an object that takes more members is a mapping.
      const others = literals.flatMap(({ fits }, at) => (fits ? [] : [refused.has(at + 3)]));
      expect(others.filter(Boolean).length).to.be.greaterThan(0.7 * others.length);
    } finally {
      wheel.remove();
    }
  });
});
