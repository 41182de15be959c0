import { expect } from 'chai';
import type { Workbench } from './workbench.ts';

/** A policies folder that is not taken. */
export interface Refusal {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly code: string;
  /** File, line and column of the fault. */
  readonly at?: readonly [string, number, number];
  /** How to write it instead. */
  readonly hint?: RegExp;
}

/** A folder of one policy with these rules, in `a.rego`. */
export function policy(rules: string): Readonly<Record<string, string>> {
  return { 'a.rego': `package orb.policies.a\n\n${rules}\n` };
}

/** Tests that each folder is refused with its code. */
export function itRefuses(bench: () => Workbench, refusals: readonly Refusal[]): void {
  for (const { name, files, code, at, hint } of refusals)
    it(`refuse ${name}: ${code}`, async function () {
      this.timeout(120_000);
      const { revision, diagnostics } = await bench().build(files);
      expect(revision).to.equal(undefined);
      const found = diagnostics.find((one) => one.code === code);
      expect(found, JSON.stringify(diagnostics)).not.to.equal(undefined);
      if (at !== undefined) expect([found?.file, found?.line, found?.column]).to.deep.equal(at);
      if (hint !== undefined) expect(found?.hint).to.match(hint);
    });
}
