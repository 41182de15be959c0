import { useState } from 'preact/hooks';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { takesKey, useSession } from '../../frame/session.ts';
import { Act } from '../../parts/act.ts';
import { loaded, Notice } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { stateOf } from './key.ts';
import { ShownOnce } from './new-key.ts';
import type { CreatedKey, Key } from '../../frame/wire.ts';

/** Shows one key: whose it is, what it may do, and how to replace or revoke it. */
export function OneKey({ params }: ScreenProps) {
  const id = params['key_id'] ?? '';
  const reading = useGet<Key>(`/keys/${encodeURIComponent(id)}`);
  const { value: key, reload } = reading;
  const [made, setMade] = useState<CreatedKey>();
  const [next, setNext] = useState<string>();
  const acts =
    key !== undefined &&
    stateOf(key) !== 'revoked' &&
    html`<${Acts} of=${key} onMade=${setMade} onRevoked=${reload} />`;
  return html`<${Page} title=${key?.name ?? id} above=${above} acts=${acts}>
    ${
      next !== undefined &&
      html`<${Notice} tone="good">
        <p>
          The new key is <a href=${hrefOf(`/keys/${next}`)}>${next}</a>. Give it to the program, check here that it is
          used, then revoke this key.
        </p>
      <//>`
    }
    ${loaded(reading, (shown) => html`<${KeyFacts} of=${shown} />`)}
    ${
      made &&
      html`<${ShownOnce}
        made=${made}
        onClose=${() => {
          setNext(made.key_id);
          setMade(undefined);
        }}
      />`
    }
  <//>`;
}

const above = { href: hrefOf('/keys'), name: 'Keys' };

function KeyFacts({ of: key }: { readonly of: Key }) {
  return html`<section class="panel">
    <${Facts}
      of=${[
        ['Status', html`<${Status} of=${stateOf(key)} />`],
        ['Prefix', html`<code>${key.prefix}</code>`],
        ['Mode', key.mode],
        [
          'Scopes',
          html`<ul class="plain">
            ${key.scopes.map((one) => html`<li><code>${one}</code></li>`)}
          </ul>`,
        ],
        [
          'Principal',
          html`${key.principal_name}
            <${Id} id=${key.principal} href=${hrefOf('/runs', { principal: key.principal })} />`,
        ],
        ['Tenant', key.tenant],
        ['Last used', key.last_used_at === undefined ? 'Never' : html`<${Time} at=${key.last_used_at} both />`],
        ['Expires', key.expires_at === undefined ? 'Never' : html`<${Time} at=${key.expires_at} both />`],
        ['Created', html`<${Time} at=${key.created_at} both />`],
        ['Created by', key.created_by && html`<code>${key.created_by}</code>`],
        ['Revoked', key.revoked_at && html`<${Time} at=${key.revoked_at} both />`],
        ['ID', html`<${Id} id=${key.key_id} />`],
      ]}
    />
  </section>`;
}

interface ActsProps {
  readonly of: Key;
  readonly onMade: (made: CreatedKey) => void;
  readonly onRevoked: () => void;
}

function Acts({ of: key, onMade, onRevoked }: ActsProps) {
  const session = useSession();
  const { name, principal, scopes, mode, expires_at } = key;
  // The successor lives as long as this key did, from today.
  const life = expires_at === undefined ? undefined : Date.parse(expires_at) - Date.parse(key.created_at);
  const [now] = useState(() => serverNow());
  const ends = life === undefined ? {} : { expires_at: new Date(now + life).toISOString() };
  return html`<${Act}
      label="Rotate"
      title=${`Rotate ${name}`}
      says=${html`<p>Creates a second key with the same scopes for the same principal. This key works until you revoke it.</p>`}
      call=${{ method: 'POST', path: '/keys', body: { name, principal, scopes, mode, ...ends }, key: takesKey(session, scopes) }}
      word="rotate"
      onDone=${onMade}
    />
    <${Act}
      label="Revoke"
      title=${`Revoke ${name}`}
      says=${html`<p>
        From now on, every call with this key is refused. Its event streams close, and its queued runs are denied. This
        cannot be
        undone.${key.key_id === session.key_id && html` <strong>This session uses this key: you will be signed out.</strong>`}
      </p>`}
      call=${{ method: 'DELETE', path: `/keys/${key.key_id}` }}
      word="revoke"
      danger
      done="The key is revoked"
      onDone=${onRevoked}
    />`;
}
