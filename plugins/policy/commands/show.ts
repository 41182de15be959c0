import type { Diagnostic } from '../contract.ts';
import type { TestResult } from '../toolchain/build.ts';

/** Writes findings as compilers do: `file:line:column: message`, the line and a caret below it. */
export function showDiagnostics(found: readonly Diagnostic[]): string {
  return found
    .map(({ severity, code, message, file, line, column, excerpt, hint }) => {
      const at = file === undefined ? '' : `${file}:${line ?? 1}:${column ?? 1}: `;
      const more = [excerpt, hint].filter((text) => text !== undefined && text !== '');
      return [`${at}${severity}: ${message} (${code})`, ...more].join('\n  ');
    })
    .join('\n');
}

/** Writes results of tests, the failed ones with what they said. */
export function showTests(tests: readonly TestResult[]): string {
  const lines = tests.map(({ name, file, line, passed, skipped, message, output }) => {
    const word = skipped === true ? 'skipped' : passed ? 'ok' : 'FAILED';
    return [`${word} ${name} (${file}:${line})`, ...(passed ? [] : [message ?? '', output ?? ''])].join('\n').trim();
  });
  return [...lines, `${tests.filter(({ passed }) => passed).length} of ${tests.length} passed`].join('\n');
}
