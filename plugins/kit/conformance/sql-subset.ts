/** A form of SQL that a statement of a store must not use. */
export interface ForbiddenForm {
  /** What is forbidden, and what to write instead. */
  readonly reason: string;
  /** Says whether a text, whose string literals are empty, uses the form. */
  readonly used: (sql: string) => boolean;
}

const matching =
  (pattern: RegExp) =>
  (sql: string): boolean =>
    pattern.test(sql);

/** The forms that SQLite or PostgreSQL refuses, or that the two understand differently. */
export const forbiddenForms: readonly ForbiddenForm[] = [
  {
    reason: 'OR REPLACE and OR IGNORE: write ON CONFLICT (columns) DO UPDATE SET … or DO NOTHING',
    used: matching(/\b(?:INSERT|UPDATE)\s+OR\b|\bREPLACE\s+INTO\b/i),
  },
  {
    reason: 'ON CONFLICT without columns: name the columns of the key',
    used: matching(/\bON\s+CONFLICT\s+(?!\()/i),
  },
  {
    reason: 'an unqualified column right of SET after ON CONFLICT: write table.column or excluded.column',
    used: setsUnqualified,
  },
  { reason: 'rowid: order by a column of the table', used: matching(/\b(?:_?rowid_?|oid|last_insert_rowid)\b/i) },
  {
    reason: 'operators and functions of JSON: read the text and parse it',
    used: matching(/->|\bjsonb?(?:_\w+)?\s*\(/i),
  },
  {
    reason: "CAST AS TEXT: PostgreSQL writes bytes as digits; '' || column is a text or bytes",
    used: matching(/\bAS\s+TEXT\s*\)/i),
  },
  {
    reason: 'sum and avg without a type: PostgreSQL answers numeric; write CAST(SUM(column) AS BIGINT)',
    used: matching(/(?<!\bCAST\(\s*)\b(?:sum|avg)\s*\(/i),
  },
  {
    reason: 'names with capitals: PostgreSQL makes them small',
    used: matching(/\bAS\s+(?=[a-z])\w*[A-Z]/),
  },
  { reason: 'max and min of two values: write CASE WHEN', used: comparesWithMax },
  {
    reason: 'a literal of bytes: bind a parameter; length(column) > 0 finds what is not empty',
    used: matching(/\bx''/i),
  },
  {
    reason: 'IS of two values: write IS NOT DISTINCT FROM',
    used: matching(/\bIS\s+(?:NOT\s+)?(?!NOT\b|NULL\b|DISTINCT\b|TRUE\b|FALSE\b)\S/i),
  },
  {
    reason: 'CROSS JOIN with ON: write the condition into WHERE',
    used: matching(/\bCROSS\s+JOIN\s+\w+(?:\s+AS)?(?:\s+\w+)?\s+ON\b/i),
  },
  { reason: 'a subquery in FROM without a name: write (SELECT …) AS name', used: hasNamelessSubquery },
  {
    reason: 'SELECT *: name the columns',
    used: matching(/(?:\bSELECT|\bDISTINCT|\bALL|,|\bRETURNING)\s+(?:\w+\.)?\*/i),
  },
  { reason: 'INSERT without its columns: name them', used: matching(/\bINTO\s+\w+\s+(?:VALUES|SELECT|DEFAULT)\b/i) },
  {
    reason: 'hints for the planner of SQLite: +column keeps an index from being used',
    used: matching(/\bNOT\s+INDEXED\b|\bINDEXED\s+BY\b|\b(?:un)?like(?:ly|lihood)\s*\(/i),
  },
  {
    reason: 'a negative limit, or two in one: bind a large limit, or write OFFSET',
    used: matching(/\bLIMIT\s+(?:-|[\w?]+\s*,)/i),
  },
  { reason: 'parameters with a name or number, and casts by ::: write ? and CAST', used: matching(/\?\d|::|[:@$]\w/) },
  {
    reason: 'functions and operators that only one engine has',
    used: matching(
      /\b(?:ifnull|iif|printf|group_concat|string_agg|total|instr|typeof|hex|unhex|quote|changes|char|randomblob|zeroblob|date|time|datetime|julianday|strftime|unixepoch|now|gen_random_uuid)\s*\(|\b(?:GLOB|REGEXP|MATCH|ILIKE)\b|==|\bCOLLATE\b/i,
    ),
  },
  {
    reason: 'what belongs to one engine: PRAGMA, ATTACH, VACUUM, kinds of BEGIN, catalogs, AUTOINCREMENT, sequences',
    used: matching(
      /^\s*(?:PRAGMA|ATTACH|DETACH|VACUUM|REINDEX|ANALYZE)\b|\bBEGIN\s+\w|\bsqlite_\w|\bpg_\w|\bAUTOINCREMENT\b|\b(?:next|curr)val\s*\(/i,
    ),
  },
];

/** Lists why a statement does not have one text for SQLite and PostgreSQL; empty when none of the forms is used. */
export function outsideSubset(sql: string): readonly string[] {
  const bare = sql.replace(/'(?:[^']|'')*'/g, "''").replace(/--.*$/gm, '');
  return forbiddenForms.filter(({ used }) => used(bare)).map(({ reason }) => reason);
}

// In `SET n = n + excluded.n`, PostgreSQL cannot tell the row of the table from the new one.
function setsUnqualified(sql: string): boolean {
  const set = /\bON\s+CONFLICT\b[^]*?\bDO\s+UPDATE\s+SET\b([^]*)/i.exec(sql)?.[1];
  const values = set?.split(/\bRETURNING\b/i)[0]?.replace(/(^|,)\s*\w+\s*=(?!=)/g, '$1 =');
  const words = values?.matchAll(/(?<![\w."])[a-z_]\w*(?!\w|\s*[.(])/gi) ?? [];
  return [...words].some(([word]) => !expressionWords.has(word.toUpperCase()));
}

const expressionWords = new Set(
  'CASE WHEN THEN ELSE END AND OR NOT NULL IS DISTINCT FROM WHERE TRUE FALSE IN BETWEEN LIKE AS BIGINT'.split(' '),
);

function comparesWithMax(sql: string): boolean {
  return [...sql.matchAll(/\b(?:max|min)\s*\(/gi)].some(({ index, 0: { length } }) =>
    atTop(inside(sql, index + length)).includes(','),
  );
}

function hasNamelessSubquery(sql: string): boolean {
  return [...sql.matchAll(/\b(?:FROM|JOIN)\s*\((?=\s*SELECT\b)/gi)].some(({ index, 0: { length } }) => {
    const from = index + length;
    const rest = sql.slice(from + inside(sql, from).length + 1);
    return !/^\s*(?:AS\s+)?(?!WHERE\b|ORDER\b|GROUP\b|LIMIT\b|ON\b|JOIN\b|LEFT\b|CROSS\b|UNION\b)[a-z_]\w*/i.test(rest);
  });
}

// The text from a place up to the bracket that closes there.
function inside(sql: string, from: number): string {
  let depth = 1;
  for (let at = from; at < sql.length; at++) {
    if (sql[at] === '(') depth++;
    if (sql[at] === ')' && --depth === 0) return sql.slice(from, at);
  }
  return sql.slice(from);
}

// A text without what its brackets hold.
function atTop(text: string): string {
  const less = text.replace(/\([^()]*\)/g, '');
  return less === text ? text : atTop(less);
}
