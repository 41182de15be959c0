import { builtin } from '../../plugins/builtin.ts';
import type { FactKind } from '../../plugins/receipts/format/fact-kind.ts';
import { kindsWith } from '../../plugins/receipts/kinds/kind.ts';

export { version } from '../../kernel/tools/version.ts';
export { payloadType } from '../../plugins/receipts/format/names.ts';
export { predicateType } from '../../plugins/receipts/kinds/kind.ts';

/** The kinds of statements that ship, without that of a run, sorted. */
export const statementKinds: readonly string[] = [
  ...kindsWith(builtin.plugins.flatMap((plugin) => plugin.facts) as FactKind[]).keys(),
].sort();
