import {
  PlatformError,
  queriesOf,
  rowWriter,
  type Connection,
  type Row,
  type WriteConnection,
  type WriteContext,
} from '../../../kernel/index.ts';
import { problems } from '../problems.ts';

/** The table of links: only the hashes of their tokens are stored. */
export const linkTables = `
CREATE TABLE approvals_links (
  hash TEXT PRIMARY KEY, approval_id TEXT NOT NULL, principal TEXT NOT NULL, asked TEXT NOT NULL,
  created_at INTEGER NOT NULL, used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_links_approval ON approvals_links (approval_id);
`;

/** A link that lets one person decide on one approval, once. Times are milliseconds since the Unix epoch. */
export interface LinkRow {
  /** SHA-256 of its token, base64url. */
  readonly hash: string;
  readonly approval_id: string;
  /** Who decides by it. */
  readonly principal: string;
  /** The group whose notice it was in. */
  readonly asked: string;
  readonly created_at: number;
  /** When it decided; null: it has not. */
  readonly used_at: number | null;
}

const columns = ['hash', 'approval_id', 'principal', 'asked', 'created_at', 'used_at'] as const;

// Only the operations below write the table.
const linkOf = (row: Row): LinkRow => row as unknown as LinkRow;

/** Makes the reads of links. */
export function readLinks(connection: Connection) {
  const { find } = queriesOf(connection);
  return { link: find<LinkRow>(`SELECT ${columns.join(', ')} FROM approvals_links WHERE hash = ?`, linkOf) };
}

/** Makes the writes of links. */
export function writeLinks(connection: WriteConnection) {
  const insert = rowWriter(connection, 'approvals_links', columns);
  const find = connection.prepare('SELECT used_at FROM approvals_links WHERE hash = ?');
  const use = connection.prepare('UPDATE approvals_links SET used_at = ? WHERE hash = ? AND used_at IS NULL');
  return {
    /** Keeps a new link. */
    link(row: Omit<LinkRow, 'used_at'>): void {
      insert({ ...row, used_at: null });
    },
    /** Uses up a link, in the commit of its decision. Throws 410 `approval_link_over` when it was used before. */
    async useLink({ hash, at }: { readonly hash: string; readonly at: number }, write: WriteContext): Promise<null> {
      write.guard('decide');
      const found = await find.get(hash);
      if (found === undefined || found['used_at'] !== null)
        throw new PlatformError(problems.approval_link_over, usedLink);
      use.must(at, hash);
      return null;
    },
  };
}

/** Says that a link has decided before. */
export const usedLink = 'the link was used; it decides once, and nothing was changed now';
