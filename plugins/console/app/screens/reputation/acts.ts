import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Act } from '../../parts/act.ts';
import { TextField } from '../../parts/field.ts';
import type { Listing } from '../../frame/wire.ts';

/** What an act on an Orb is given. */
export interface OrbActProps {
  readonly orbId: string;
  readonly onDone: () => void;
}

const pathOf = (orbId: string): string => encodeURIComponent(orbId);

/** Publishes a version; its texts come from the manifest unless others are typed. */
export function Publish({ orbId, onDone }: OrbActProps) {
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [tags, setTags] = useState('');
  const words = tags.split(/[\s,]+/).filter((word) => word !== '');
  const listing = {
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { description }),
    ...(words.length === 0 ? {} : { tags: words }),
  };
  return html`<${Act}
    label="Publish"
    main
    says=${html`<p>
      The marketplace shows <code>${orbId}</code> to everyone, with its score, tier and evidence. You cannot change a
      published version; you can deprecate or yank it. A policy must allow the publication.
    </p>`}
    call=${{
      method: 'POST',
      path: '/marketplace/orbs/publish',
      body: { orb_id: orbId, ...(Object.keys(listing).length === 0 ? {} : { listing }) },
    }}
    onDone=${onDone}
    done="It is published"
  >
    <${TextField}
      label="Title"
      hint="Leave empty to use the title of the manifest."
      value=${title}
      onChange=${setTitle}
      required=${false}
    />
    <${TextField}
      label="Description"
      hint="1 to 100 characters. Empty: the description of the manifest."
      value=${description}
      onChange=${setDescription}
      required=${false}
    />
    <${TextField}
      label="Tags"
      hint="Words for the search, at most ten."
      value=${tags}
      onChange=${setTags}
      required=${false}
    />
  <//>`;
}

/** Changes whether a published version is to be used. */
export function ListingActs({ listing, onDone }: { readonly listing: Listing; readonly onDone: () => void }) {
  const { orb_id: orbId, status } = listing;
  return html`${status === 'active' && html`<${Deprecate} orbId=${orbId} onDone=${onDone} />`}
  ${status === 'deprecated' && html`<${Reactivate} orbId=${orbId} onDone=${onDone} />`}
  ${(status === 'active' || status === 'deprecated') && html`<${Yank} orbId=${orbId} onDone=${onDone} />`}`;
}

const shownHint = 'Public, and attested by a receipt.';

function Deprecate({ orbId, onDone }: OrbActProps) {
  const [reason, setReason] = useState('');
  const [replacement, setReplacement] = useState('');
  const body = { status: 'deprecated', reason, ...(replacement === '' ? {} : { replacement }) };
  return html`<${Act}
    label="Deprecate"
    says=${html`<p>The Orb still works, but the marketplace advises against using it. You can undo this.</p>`}
    call=${{ method: 'PATCH', path: `/marketplace/orbs/${pathOf(orbId)}/status`, body }}
    missing=${reason === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
    done="It is deprecated"
  >
    <${TextField} label="Reason" hint=${shownHint} value=${reason} onChange=${setReason} />
    <${TextField}
      label="Use instead"
      hint="An Orb, as name@version."
      value=${replacement}
      onChange=${setReplacement}
      required=${false}
      code
    />
  <//>`;
}

function Reactivate({ orbId, onDone }: OrbActProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Reactivate"
    says=${html`<p>The marketplace no longer says that it is deprecated.</p>`}
    call=${{ method: 'PATCH', path: `/marketplace/orbs/${pathOf(orbId)}/status`, body: { status: 'active', reason } }}
    missing=${reason === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
    done="It is active again"
  >
    <${TextField} label="Reason" hint=${shownHint} value=${reason} onChange=${setReason} />
  <//>`;
}

function Yank({ orbId, onDone }: OrbActProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Yank"
    danger
    says=${html`<p>Removes it permanently from the lists of the marketplace. Its version number cannot be used again. You must enter your key again.</p>`}
    call=${{
      method: 'PATCH',
      path: `/marketplace/orbs/${pathOf(orbId)}/status`,
      body: { status: 'yanked', reason },
      key: true,
    }}
    word=${orbId}
    missing=${reason === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
    done="It is yanked"
  >
    <${TextField} label="Reason" hint=${shownHint} value=${reason} onChange=${setReason} />
  <//>`;
}

const stays = 'The log keeps it.';

/** Takes the tier of an Orb away at once. */
export function Suspend({ orbId, onDone }: OrbActProps) {
  const [reason, setReason] = useState('');
  const [incident, setIncident] = useState('');
  const body = { reason, ...(incident === '' ? {} : { incident_id: incident }) };
  return html`<${Act}
    label="Suspend"
    danger
    says=${html`<p>
      Removes its tier and suspends its certificates and its badge, immediately and for everyone. Policies that check
      its state see <code>suspended</code>. You can reinstate it.
    </p>`}
    call=${{ method: 'POST', path: `/reputation/${pathOf(orbId)}/suspend`, body }}
    word=${orbId}
    missing=${reason === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
    done="It is suspended"
  >
    <${TextField} label="Reason" hint=${stays} value=${reason} onChange=${setReason} />
    <${TextField}
      label="Incident"
      hint="The related incident, inc_…"
      value=${incident}
      onChange=${setIncident}
      required=${false}
      code
    />
  <//>`;
}

/** Lifts a suspension by an operator. */
export function Reinstate({ orbId, onDone }: OrbActProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Reinstate"
    says=${html`<p>Ends the suspension by an operator; other causes stay. The tier returns when its conditions are met.</p>`}
    call=${{ method: 'POST', path: `/reputation/${pathOf(orbId)}/reinstate`, body: { reason } }}
    missing=${reason === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
    done="It is reinstated"
  >
    <${TextField} label="Reason" hint=${stays} value=${reason} onChange=${setReason} />
  <//>`;
}
