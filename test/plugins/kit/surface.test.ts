import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { packageDir } from '../../helpers/folder.ts';

const surfaces = { 'plugins/kit/surface.ts': 80, 'kernel/engine.ts': 60 };
let parsed: ts.Program | undefined;

// Both at once: most of what they reach is the same.
function program(): ts.Program {
  const { config } = ts.readConfigFile(join(packageDir, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, packageDir);
  const files = Object.keys(surfaces).map((file) => join(packageDir, file));
  return (parsed ??= ts.createProgram(files, options));
}

for (const [file, fewest] of Object.entries(surfaces))
  describe(`the public surface of ${file}`, function () {
    this.timeout(60_000);
    let exports: readonly ts.Symbol[];
    let checker: ts.TypeChecker;
    before(() => {
      const index = join(packageDir, file);
      checker = program().getTypeChecker();
      const source = program().getSourceFile(index);
      const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
      exports = module === undefined ? [] : checker.getExportsOfModule(module);
    });

    const origin = (symbol: ts.Symbol): ts.Symbol =>
      (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
    const documented = (symbol: ts.Symbol): boolean => origin(symbol).getDocumentationComment(checker).length > 0;

    it('says of each export what it is', () => {
      expect(exports.length).to.be.greaterThan(fewest);
      expect(exports.filter((symbol) => !documented(symbol)).map(({ name }) => name)).to.deep.equal([]);
    });

    it('says of each number what it counts, by its name or in a sentence', () => {
      const unclear: string[] = [];
      for (const symbol of exports)
        for (const member of origin(symbol).members?.values() ?? []) {
          const type =
            member.valueDeclaration === undefined ? '' : checker.typeToString(checker.getTypeOfSymbol(member));
          const measured = /^(number|number \| undefined)$/.test(type);
          const named =
            /_(ms|s|seconds|days|bytes|count|total|len)$|^(status|points|version|index|size|level|limit|offset|generation|score|number|count)$/.test(
              member.name,
            );
          if (measured && !named && !documented(member)) unclear.push(`${symbol.name}.${member.name}`);
        }
      expect(unclear).to.deep.equal([]);
    });
  });
