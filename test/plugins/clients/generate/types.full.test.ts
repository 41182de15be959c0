import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { startCommandLine, type CommandLine, type Ended } from '../../../helpers/command-line.ts';
import { need } from '../../../helpers/needs.ts';
import { runPython } from '../../../helpers/python.ts';
import { installClient, type Installed } from '../built.ts';
import { installWheel, type InstalledWheel } from '../python/installed.ts';

describe('orb client types', function () {
  this.timeout(120_000);
  let line: CommandLine;
  let installed: Installed;
  before(async () => {
    [line, installed] = [await startCommandLine(), await installClient()];
  });
  after(async () => {
    installed?.remove();
    await line?.served.remove();
  });

  const types = (lang: 'py' | 'ts', out: string, ...more: readonly string[]): Ended =>
    line.run(['client', 'types', '--lang', lang, '--out', out, ...more]);
  const writeTypes = (...asked: Parameters<typeof types>): void => {
    const { status, stderr } = types(...asked);
    expect(status, stderr).to.equal(0);
  };

  /** Lists what a strict compiler says of a program next to the file of types. */
  const faultsOf = (code: string): string[] => {
    const program = join(installed.folder, 'program.ts');
    writeFileSync(program, `import './orbs.d.ts';\nimport { Orb } from 'agent-orb';\n${code}`);
    const found = ts.getPreEmitDiagnostics(
      ts.createProgram([program, join(installed.folder, 'orbs.d.ts')], {
        ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, noEmit: true, strict: true, types: [] },
        lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        exactOptionalPropertyTypes: true,
        allowImportingTsExtensions: true,
      }),
    );
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  };

  it('write what a program in TypeScript may call, and with what', () => {
    const out = join(installed.folder, 'orbs.d.ts');
    writeTypes('ts', out, '--strict');
    const call = (orb: string, inputs: string): string =>
      `const orb = new Orb('https://orb.example.com', 'orb_test_x', { pin: 'tofu' });\nconst done = (await orb.run('${orb}', ${inputs})).orThrow();\nexport const id: string = done.outputs.message_id;\n`;
    const mail = `{ to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' }`;
    expect(faultsOf(call('notify.email@1.0.0', mail))).to.deep.equal([]);
    for (const [orb, inputs, fault] of [
      ['notify.email@1.0.0', `{ to: 'ada@example.com' }`, /missing the following properties/],
      ['notify.email@1.0.0', mail.replace("'hello'", '1'), /'number' is not assignable to type 'string'/],
      ['notify.email@1.0.0', mail.replace('{ to', '{ bbc: 1, to'), /'bbc' does not exist/],
      ['notify.mail@1.0.0', mail, /not assignable/],
    ] as const)
      expect(faultsOf(call(orb, inputs)).join('\n'), inputs).to.match(fault);
  });

  it('say when the file does not fit the server any more', () => {
    const out = join(installed.folder, 'orbs.d.ts');
    writeTypes('ts', out);
    writeTypes('ts', out, '--check');
    const file = readFileSync(out, 'utf8');
    writeFileSync(out, file.replace(/^\/\/ demo\.echo@1\.0\.0 .*\n/m, ''));
    const { status, stdout } = types('ts', out, '--check');
    expect([status, stdout.trim()]).to.deep.equal([1, 'demo.echo@1.0.0: it is new']);
    writeTypes('ts', out);
    expect(readFileSync(out, 'utf8')).to.equal(file);
  });

  describe('for Python', () => {
    let wheel: InstalledWheel;
    before(async function () {
      need(this, 'python');
      wheel = await installWheel();
    });
    after(() => wheel?.remove());

    const check = (...programs: readonly string[]): Promise<string> => {
      for (const [at, program] of programs.entries()) writeFileSync(join(wheel.folder, `program${at}.py`), program);
      const args = ['-m', 'mypy', '--strict', ...programs.map((_, at) => `program${at}.py`), 'orbs.py'];
      return runPython(args, { cwd: wheel.folder }).catch((error: Error) => error.message);
    };

    it('write what a program may call, and with what', async () => {
      writeTypes('py', join(wheel.folder, 'orbs.py'));
      const call = (orb: string, inputs: string): string =>
        `from orbs import AsyncOrb, Orb\n\nwith Orb("http://orb.test", "orb_test_x", pin="tofu") as orb:\n    print(orb.run("${orb}", ${inputs}).kind)\n\nasync def main() -> None:\n    await AsyncOrb("http://orb.test", "orb_test_x", pin="tofu").run("${orb}", ${inputs}, key="k")\n`;
      const mail = `{"to": "ada@example.com", "from_address": "orb@example.com", "subject": "hello", "body": "It works."}`;
      expect(await check(call('notify.email@1.0.0', mail))).to.contain('no issues found in 2 source files');
      const wrong = [
        ['notify.email@1.0.0', '{"to": "ada@example.com"}'],
        ['notify.email@1.0.0', mail.replace('"hello"', '1')],
        ['notify.email@1.0.0', mail.replace('{"to"', '{"bbc": 1, "to"')],
        ['notify.mail@1.0.0', mail],
      ] as const;
      const said = await check(...wrong.map(([orb, inputs]) => call(orb, inputs)));
      for (const [at, [, inputs]] of wrong.entries())
        for (const line of [4, 7]) expect(said, inputs).to.match(new RegExp(`^program${at}\\.py:${line}: error`, 'm'));
    });

    it('can be run as they are', async () => {
      const program = 'import orbs; print(orbs.Orb("http://orb.test", "orb_test_x", pin="tofu").runs)';
      expect(await wheel.run(['-c', program])).to.contain('agent_orb');
    });
  });
});
