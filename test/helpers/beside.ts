/**
 * For tests that mostly wait: starts them together before the first test of the suite, `atOnce` at a time. The result
 * runs one: it waits for what was started, or starts a test that is not among them.
 */
export function beside<Row>(
  rows: readonly Row[],
  run: (row: Row) => Promise<void>,
  atOnce: number = rows.length,
): (row: Row) => Promise<void> {
  const begun = new Map<Row, Promise<void>>();
  before(() => {
    for (const [index, row] of rows.entries()) {
      const earlier = [...begun.values()].slice(Math.max(0, index - atOnce + 1));
      const turn = index < atOnce ? Promise.resolve() : Promise.any(earlier.map((one) => one.catch(() => undefined)));
      begun.set(
        row,
        turn.then(() => run(row)),
      );
    }
    // A failure is that of the test that waits for it.
    for (const one of begun.values()) one.catch(() => undefined);
  });
  return (row) => begun.get(row) ?? run(row);
}
