/**
 * What stores with long lists share: marks say when a value occurs in a column, so that a filter that few rows fit begins
 * where one is. A mark costs a run far less than an index: a value is written once in eight seconds.
 */
export { markMigration, Marks, marksBefore, slotOf, type MarkedTable } from './marks.ts';
