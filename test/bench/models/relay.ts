// relay.ts URL: the least that a gateway does which must not lose a call. It writes each call to SQLite as durably as the
// platform does, then sends it to the vendor at URL, and passes the answer on as it comes.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Driver from 'better-sqlite3';
import { Pool } from 'undici';

const dir = mkdtempSync(join(tmpdir(), 'orb-bench-relay-'));
const database = new Driver(join(dir, 'calls.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE call (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO call (body) VALUES (?)');
const vendor = new Pool(process.argv[2] ?? '', { connections: 64 });

async function relay(req: IncomingMessage, res: ServerResponse, body: string): Promise<void> {
  insert.run(body);
  const headers = { 'content-type': 'application/json' };
  const answer = await vendor.request({ method: 'POST', path: req.url ?? '/', headers, body });
  res.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) });
  await pipeline(answer.body, res);
}

const server = createServer((req, res) => {
  let text = '';
  req.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  req.on('end', () => void relay(req, res, text).catch(() => res.destroy()));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.on('SIGTERM', () => {
  database.close();
  rmSync(dir, { recursive: true, force: true });
  process.exit(0);
});
