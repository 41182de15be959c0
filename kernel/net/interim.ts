import type { Socket } from 'node:net';

const mostHead = 16 * 1024;
const requestLine = /^[A-Z]+ [^ \r\n]+ HTTP\/1\.1\r\n/;
const nothing = Buffer.alloc(0);

/**
 * Removes unasked answers `100 Continue` (RFC 9110 §15.2) from what a socket receives: the client library would close
 * the connection, and the outcome of a request that was served would be unknown.
 */
export function withoutContinue(socket: Socket): Socket {
  const filter = new Filter();
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...given: readonly unknown[]) => boolean;
  return Object.assign(socket, {
    read(size?: number): unknown {
      for (;;) {
        const chunk: unknown = read(size);
        if (!(chunk instanceof Buffer)) return chunk;
        const left = filter.take(chunk);
        if (left.length > 0) return left;
      }
    },
    // The library writes each head in one text, and bodies as bytes.
    write(...given: readonly unknown[]): boolean {
      const [chunk] = given;
      if (typeof chunk === 'string' && requestLine.test(chunk)) filter.begin();
      return write(...given);
    },
  });
}

/** Looks at the heads of answers until one is final. */
class Filter {
  #looking = false;
  #held: Buffer = nothing;

  /** A request starts: the next bytes are the head of a response. */
  begin(): void {
    this.#looking = true;
  }

  /** Returns the bytes that are left of those that came. */
  take(chunk: Buffer): Buffer {
    if (!this.#looking) return chunk;
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const passed: Buffer[] = [];
    for (let status = statusOf(rest); status !== undefined; status = statusOf(rest)) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0 && rest.length <= mostHead) {
        this.#held = rest;
        return Buffer.concat(passed);
      }
      if (end < 0 || status === 'unknown') break;
      if (status !== 100) passed.push(rest.subarray(0, end + 4));
      rest = rest.subarray(end + 4);
      this.#held = nothing;
      if (rest.length === 0) return Buffer.concat(passed);
    }
    this.#looking = false;
    this.#held = nothing;
    return Buffer.concat([...passed, rest]);
  }
}

// Undefined: a final answer, or one that leaves HTTP. `unknown`: the first bytes do not tell yet.
function statusOf(bytes: Buffer): number | 'unknown' | undefined {
  const start = bytes.toString('latin1', 0, 12);
  const [, status] = /^HTTP\/1\.[01] (1\d\d)$/.exec(start) ?? [];
  if (status !== undefined) return status === '101' ? undefined : Number(status);
  return start.length < 12 && 'HTTP/1.1 100'.startsWith(start.replace('HTTP/1.0', 'HTTP/1.1')) ? 'unknown' : undefined;
}
