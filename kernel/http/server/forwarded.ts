import type { IncomingHttpHeaders } from 'node:http';

// What proxies add to a request.
const proxied = [
  ...['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-server'],
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'x-original-host', 'x-scheme', 'cdn-loop'],
  ...['cf-connecting-ip', 'cf-ray', 'x-amzn-trace-id', 'x-envoy-external-address', 'x-cloud-trace-context'],
] as const;

/** Says whether a request has a header that proxies add. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return proxied.some((name) => headers[name] !== undefined);
}
