import { createHash } from 'node:crypto';
import { defineRoute, html, namesTag, reply, timestamp, type Html, type Route } from '../../../kernel/index.ts';
import { serviceTitles } from '../contract.ts';
import type { StatusScope } from '../routes/status.ts';
import type { IncidentEntry } from '../status/schema.ts';
import { pastDays } from './history.ts';
import { newestEntries } from '../status/wire.ts';

const mostEntries = 50;

/** Makes `/status/feed.atom`: incidents and maintenance of 90 days for feed readers (RFC 4287). */
export const feedRoute = ({ board, brand, history, publicUrl, clock }: StatusScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/status/feed.atom',
    operationId: 'getStatusFeed',
    service: 'shared',
    public: true,
    conditional: true,
    produces: 'application/atom+xml',
    summary: 'Follow incidents and maintenance in a feed reader (Atom)',
    anyQuery: true,
    async handle({ headers: asked }) {
      const entries = newestEntries(await history.of(pastDays), publicUrl, clock.now()).slice(0, mostEntries);
      const tag = `"${createHash('sha256').update(JSON.stringify(entries)).digest('base64url').slice(0, 22)}"`;
      const headers = { ETag: tag, 'Cache-Control': 'public, max-age=60', 'Access-Control-Allow-Origin': '*' };
      if (namesTag(asked['if-none-match'], tag)) return reply({ status: 304, headers });
      const updated =
        entries
          .map(({ updated_at }) => updated_at)
          .sort()
          .at(-1) ?? timestamp((await board.snapshot()).observedSince);
      const body = feedOf(entries, { name: brand.name, updated, publicUrl }).toString();
      return reply({ type: 'application/atom+xml; charset=utf-8', headers, body });
    },
  });

function feedOf(
  entries: readonly IncidentEntry[],
  { name, updated, publicUrl }: { readonly name: string; readonly updated: string; readonly publicUrl: string },
): Html {
  return html`<?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom">
      <id>${publicUrl}/status/feed.atom</id>
      <title>${name}: status</title>
      <updated>${updated}</updated>
      <author><name>${name}</name></author>
      <link rel="self" type="application/atom+xml" href="${publicUrl}/status/feed.atom" />
      <link rel="alternate" type="text/html" href="${publicUrl}/status.html" />
      ${entries.map((entry) => entryOf(entry, publicUrl))}</feed
    > `;
}

function entryOf(
  { id, title, status, components, started_at, updated_at, updates }: IncidentEntry,
  publicUrl: string,
): Html {
  const told = updates.toReversed().map(({ at, status: phase, message }) => `${at.slice(0, 16)}Z ${phase}: ${message}`);
  const names = components.map((name) => serviceTitles[name]).join(', ');
  const text = [`${status.replaceAll('_', ' ')}. ${names}.`, ...told].join('\n');
  return html`
    <entry>
      <id>${publicUrl}/status.html#${id}</id>
      <title>${title}</title>
      <published>${started_at}</published>
      <updated>${updated_at}</updated>
      <link rel="alternate" type="text/html" href="${publicUrl}/status/history.html#${id}" />
      <content type="text">${text}</content>
    </entry>
  `;
}
