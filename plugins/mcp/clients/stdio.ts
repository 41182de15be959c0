import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { Client } from '../../../kernel/index.ts';
import { codes, faultBody, idOf, isMembers, metaKeys, modern, namedBy, type Id, type Members } from '../wire/wire.ts';
import { readEvents } from '../../runtime/contract.ts';

const reopenMs = 5000;

/** The two sides of a bridge. */
export interface BridgeOptions {
  /** Path of the endpoint. */
  readonly path: string;
  readonly client: Pick<Client, 'open'>;
  /** One message per line. */
  readonly input: Readable;
  readonly write: (line: string) => void;
}

/**
 * Serves a client that starts a command: each line of the input is one request over HTTP, each of its answers one line.
 * Resolves when the input has ended and the last call has its answer.
 */
export async function bridge(options: BridgeOptions): Promise<void> {
  const session = new Session(options);
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: options.input })) {
    if (line.trim() === '') continue;
    const work = session.take(line).finally(() => open.delete(work));
    open.add(work);
  }
  session.endStreams();
  await Promise.all(open);
  await session.listening;
}

class Session {
  readonly #options: BridgeOptions;
  // Calls that the client may cancel, by the JSON of their ids.
  readonly #open = new Map<string, { readonly abort: AbortController; readonly stream: boolean }>();
  /** The revision that `initialize` agreed on. */
  #version: string | undefined;
  readonly #end = new AbortController();
  /** Settles when changes of tools are no longer told. */
  listening: Promise<void> | undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  async take(line: string): Promise<void> {
    const message = parsed(line);
    const id = idOf(message);
    try {
      if (isMembers(message) && message['method'] === 'notifications/cancelled') this.#cancel(message);
      else await this.#send(line, message, id);
    } catch (error) {
      const text = `the server cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
      if (id !== undefined) this.#tell(unanswered(text, id));
    }
  }

  /** Ends what would never end by itself. */
  endStreams(): void {
    this.#end.abort();
    for (const { abort, stream } of this.#open.values()) if (stream) abort.abort();
  }

  // Closing the request is what cancels it.
  #cancel(message: Members): void {
    const { params } = message;
    const id = isMembers(params) ? params['requestId'] : undefined;
    this.#open.get(JSON.stringify(id))?.abort.abort();
  }

  async #send(line: string, message: unknown, id: Id | undefined): Promise<void> {
    const method = isMembers(message) ? String(message['method']) : '';
    const call = { abort: new AbortController(), stream: method === 'subscriptions/listen' };
    const key = JSON.stringify(id);
    if (id !== undefined) this.#open.set(key, call);
    try {
      await this.#answer(line, message, call.abort.signal);
    } catch (error) {
      if (!call.abort.signal.aborted) throw error;
    } finally {
      this.#open.delete(key);
    }
  }

  async #answer(line: string, message: unknown, signal: AbortSignal): Promise<void> {
    const { client, path } = this.#options;
    const response = await client.open('POST', path, { body: line, headers: this.#headers(message), signal });
    const id = idOf(message);
    if (/^text\/event-stream/.test(response.headers.get('content-type') ?? '') && response.body !== null) {
      let answered = id === undefined;
      for await (const { data } of readEvents(response.body)) {
        if (data === '') continue;
        answered ||= idOf(parsed(data)) === id;
        this.#write(data);
      }
      if (!answered) this.#tell(unanswered('the server ended the stream without an answer', id));
      return;
    }
    const text = await response.text();
    if (isMembers(message) && message['method'] === 'notifications/initialized') this.listening ??= this.#listen();
    const answer = parsed(text);
    // A notification has no answer, also when it was refused.
    if (isMembers(message) && message['id'] === undefined && message['method'] !== undefined) return;
    if (!isMembers(answer)) {
      if (id !== undefined) this.#tell(unanswered(`the server answered with status ${response.status}`, id));
    } else if (id === undefined || idOf(answer) === id) this.#write(this.#learned(message, text));
    // It was refused before it was read.
    else this.#tell({ ...answer, id });
  }

  // What intermediaries route by must be what the body says.
  #headers(message: unknown): Readonly<Record<string, string>> {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    if (!isMembers(message)) return headers;
    const params = isMembers(message['params']) ? message['params'] : {};
    const meta = isMembers(params['_meta']) ? params['_meta'] : {};
    const version = meta[metaKeys.version];
    if (typeof version !== 'string')
      return this.#version === undefined ? headers : { ...headers, 'mcp-protocol-version': this.#version };
    const method = String(message['method']);
    const name = params[namedBy.get(method) ?? 'name'];
    return {
      ...headers,
      'mcp-protocol-version': version,
      'mcp-method': sendable(method),
      ...(typeof name === 'string' ? { 'mcp-name': sendable(name) } : {}),
    };
  }

  // Changes are told here whatever the server offers; a server of an earlier version offers none.
  #learned(message: unknown, text: string): string {
    if (!isMembers(message) || message['method'] !== 'initialize') return text;
    const answer = parsed(text);
    const result = isMembers(answer) ? answer['result'] : undefined;
    if (!isMembers(answer) || !isMembers(result) || typeof result['protocolVersion'] !== 'string') return text;
    this.#version = result['protocolVersion'];
    const given = isMembers(result['capabilities']) ? result['capabilities'] : {};
    return JSON.stringify({
      ...answer,
      result: { ...result, capabilities: { ...given, tools: { listChanged: true } } },
    });
  }

  // For a client of a revision without `subscriptions/listen`; a stream that breaks is opened again.
  async #listen(): Promise<void> {
    const { signal } = this.#end;
    const meta = { [metaKeys.version]: modern, [metaKeys.capabilities]: {} };
    const params = { notifications: { toolsListChanged: true }, _meta: meta };
    const message = { jsonrpc: '2.0', id: 'changes', method: 'subscriptions/listen', params };
    while (!signal.aborted) {
      await this.#hear(message, signal).catch(() => undefined);
      await pause(reopenMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #hear(message: object, signal: AbortSignal): Promise<void> {
    const { client, path } = this.#options;
    const body = JSON.stringify(message);
    const response = await client.open('POST', path, { body, headers: this.#headers(message), signal });
    if (response.body === null) return;
    for await (const { data } of readEvents(response.body)) {
      const told = parsed(data);
      const method = isMembers(told) ? told['method'] : undefined;
      if (method === 'notifications/tools/list_changed') this.#tell({ jsonrpc: '2.0', method });
    }
  }

  #tell(message: object): void {
    this.#write(JSON.stringify(message));
  }

  #write(text: string): void {
    this.#options.write(`${text.replaceAll('\n', ' ')}\n`);
  }
}

// What a request gets for which the server has no answer: without one a client would wait for ever.
function unanswered(message: string, id: Id | undefined): object {
  return faultBody({ code: codes.internal, message, data: undefined, id });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A header carries visible ASCII; anything else is sent in base64.
function sendable(text: string): string {
  const plain = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) && !/^=\?base64\?/i.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
