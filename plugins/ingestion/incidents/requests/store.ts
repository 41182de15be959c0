import {
  queriesOf,
  textColumn,
  type Awaitable,
  type AwaitableReads,
  type Connection,
  type Row,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../../../kernel/index.ts';
import { topics } from '../../topics.ts';
import type { IncidentRequest } from '../model/request.ts';

/** The table of what nodes ask the one that folds incidents. */
export const requestTable = `CREATE TABLE ingestion_requests (
  request_id TEXT PRIMARY KEY,
  record TEXT NOT NULL,
  answer TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX ingestion_requests_open ON ingestion_requests (request_id) WHERE answer IS NULL;`;

/** What became of a request; without a problem it was carried out. */
export type RequestAnswer = { readonly problem?: Readonly<Record<'code' | 'detail', string>> };

/** A request with its id. */
export interface OpenRequest {
  /** `ask_<ulid>` */
  readonly request_id: string;
  readonly request: IncidentRequest;
}

/** Makes the named writes of requests. */
function requestWrites(connection: WriteConnection) {
  const insert = connection.prepare('INSERT INTO ingestion_requests (request_id, record) VALUES (?, ?)');
  const answer = connection.prepare('UPDATE ingestion_requests SET answer = ? WHERE request_id = ? AND answer IS NULL');
  const withdraw = connection.prepare('DELETE FROM ingestion_requests WHERE request_id = ? AND answer IS NULL');
  const drop = connection.prepare('DELETE FROM ingestion_requests WHERE request_id = ?');
  const forget = connection.prepare('DELETE FROM ingestion_requests WHERE request_id < ?');
  return {
    ask({ request_id, request }: OpenRequest, write: WriteContext): void {
      insert.queue(request_id, JSON.stringify(request));
      write.tell(topics.asked, request_id);
    },
    /** Answers a request in the commit of what it asked for; one that was withdrawn fails that commit. */
    answerRequest(one: { readonly request_id: string; readonly answer: RequestAnswer }, write: WriteContext): void {
      answer.must(JSON.stringify(one.answer), one.request_id);
      write.tell(topics.answered, one.request_id);
    },
    /** Takes back a request that is not answered; answers 0 when it is. */
    withdrawRequest: ({ request_id }: { readonly request_id: string }): Awaitable<number> => withdraw.run(request_id),
    dropRequest: ({ request_id }: { readonly request_id: string }): void => drop.queue(request_id),
    /** Deletes the requests made before an id: callers no longer wait for them. */
    forgetRequests: ({ before }: { readonly before: string }): void => forget.queue(before),
    /** Tells the node that folds incidents that deliveries came again. */
    tellRefreshed({ delivery_ids }: { readonly delivery_ids: readonly string[] }, write: WriteContext): void {
      for (const id of delivery_ids) write.tell(topics.refreshed, id);
    },
  };
}

/** Prepares the reads of requests. */
function requestReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  return {
    /** Lists the requests that are not answered, oldest first. */
    openRequests: list<OpenRequest, [limit: number]>(
      'SELECT request_id, record FROM ingestion_requests WHERE answer IS NULL ORDER BY request_id LIMIT ?',
      requestOf,
    ),
    requestAnswer: find('SELECT answer FROM ingestion_requests WHERE request_id = ?', answerOf),
  };
}

/** Reads of requests. */
export type RequestReads = AwaitableReads<ReturnType<typeof requestReads>>;

/** The part of the plugin's store that holds requests. */
export const requestPart = {
  name: 'ingestion',
  write: ({ connection }: WriterScope) => ({ operations: requestWrites(connection) }),
  read: requestReads,
} as const;

// This plugin alone writes the rows, from values of these types.
function requestOf({ request_id, record }: Row): OpenRequest {
  return { request_id: textColumn(request_id), request: JSON.parse(textColumn(record)) as IncidentRequest };
}

function answerOf({ answer }: Row): RequestAnswer | undefined {
  return typeof answer === 'string' ? (JSON.parse(answer) as RequestAnswer) : undefined;
}
