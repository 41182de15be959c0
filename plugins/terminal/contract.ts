/**
 * What commands of plugins share: calls of the API as data, and their answers as text for people. `listing` is for lists,
 * `record` for the members of one thing, `painted` for a state in another text.
 */
export { apiCommand, condition, everyPage, fileOption, pageOptions, type ApiCommand } from './api-command.ts';
export { painted } from './meaning.ts';
// Amounts of money; pages import the file itself.
export { dollars } from './money.ts';
export { optionsOf } from './option-table.ts';
export { ProgressBar } from './progress-bar.ts';
// Words for a trust score; pages import the file itself.
export { scoreLine, type ScoredReceipt } from './score-words.ts';
export { listing, record, Shown, table } from './table.ts';
export { saveDownload } from './download.ts';
