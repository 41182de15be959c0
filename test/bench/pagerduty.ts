import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './server.ts';

/** A source of webhooks at a server. */
export interface Source {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

/** A delivery ready to be sent. */
export interface Delivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const payloads = join(import.meta.dirname, '../plugins/ingestion/sources/vendors/payloads');
const [firing, resolved] = ['firing', 'resolved'].map((name) =>
  JSON.stringify(JSON.parse(readFileSync(join(payloads, `pagerduty.${name}.json`), 'utf8'))),
);

/** Makes a PagerDuty source that may send as fast as it can. */
export async function makeSource({ url, key }: Target): Promise<Source> {
  const response = await fetch(`${url}/sources`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'bench',
      vendor: 'pagerduty',
      binding: { kind: 'component', id: 'observable_engine' },
      limits: { rate_per_second: 10_000, burst: 100_000 },
    }),
  });
  if (response.status !== 201) throw new Error(`there is no source: ${await response.text()}`);
  const made = (await response.json()) as { readonly source: { source_id: string }; token: string; secret: string };
  return { id: made.source.source_id, path: `/hooks/${made.token}`, secret: made.secret };
}

/** Makes deliveries in the shape PagerDuty sends, signed: alert after alert, each followed by its end. */
export function makeDeliveries({ secret }: Source, count: number, run: string): readonly Delivery[] {
  return Array.from({ length: count }, (_, index) => {
    const incident = `P${run}${Math.floor(index / 2)}`;
    const form = (index % 2 === 0 ? firing : resolved) ?? '';
    const id = `01${run}${index}`;
    const payload = form
      .replaceAll('PGR0VU2', incident)
      .replace(/"id":"01[^"]*"/, `"id":"${id}"`)
      .replace(/"occurred_at":"[^"]*"/, `"occurred_at":"${new Date().toISOString()}"`);
    const signature = createHmac('sha256', secret).update(payload).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-webhook-id': id };
    return { body: payload, headers: { ...headers, 'x-pagerduty-signature': `v1=${signature}` } };
  });
}
