import { useState } from 'preact/hooks';
import { filled } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { TextFields, type Texts } from '../../parts/field.ts';
import type { Listing } from '../../frame/wire.ts';

const texts = [
  { name: 'title', label: 'Title', hint: 'Leave empty to use the title of the manifest.', required: false },
  {
    ...{ name: 'description', label: 'Description', required: false },
    hint: '1 to 100 characters. Empty: the description of the manifest.',
  },
  { name: 'tags', label: 'Tags', hint: 'Words for the search, at most ten.', required: false },
];

/** Publishes a version; its texts come from the manifest unless others are typed. */
export function Publish({ of: orbId, onDone }: ActOn<string>) {
  const [typed, setTyped] = useState<Texts>({});
  const { tags, ...rest } = filled(typed);
  const listing = { ...rest, ...(tags === undefined ? {} : { tags: tags.split(/[\s,]+/) }) };
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
    <${TextFields} of=${texts} typed=${typed} onChange=${setTyped} />
  <//>`;
}

const reason = { name: 'reason', label: 'Reason', hint: 'Public, and attested by a receipt.' };
const replacement = {
  ...{ name: 'replacement', label: 'Use instead', hint: 'An Orb, as name@version.' },
  ...{ required: false, code: true },
};

/** Changes whether a published version is to be used. */
export function ListingActs({ of: { orb_id: orbId, status }, onDone }: ActOn<Listing>) {
  const path = `/marketplace/orbs/${encodeURIComponent(orbId)}/status`;
  const callOf = (next: Listing['status']) => ({ method: 'PATCH', path, body: { status: next } });
  return html`${
    status === 'active' &&
    html`<${Act}
      label="Deprecate"
      says=${html`<p>The Orb still works, but the marketplace advises against using it. You can undo this.</p>`}
      call=${callOf('deprecated')}
      fields=${[reason, replacement]}
      onDone=${onDone}
      done="It is deprecated"
    />`
  }
  ${
    status === 'deprecated' &&
    html`<${Act}
      label="Reactivate"
      says=${html`<p>The marketplace no longer says that it is deprecated.</p>`}
      call=${callOf('active')}
      fields=${[reason]}
      onDone=${onDone}
      done="It is active again"
    />`
  }
  ${
    (status === 'active' || status === 'deprecated') &&
    html`<${Act}
      label="Yank"
      danger
      says=${html`<p>Removes it permanently from the lists of the marketplace. Its version number cannot be used again. You must enter your key again.</p>`}
      call=${{ ...callOf('yanked'), key: true }}
      fields=${[reason]}
      word=${orbId}
      onDone=${onDone}
      done="It is yanked"
    />`
  }`;
}

const keptReason = { ...reason, hint: 'The log keeps it.' };
const incident = {
  ...{ name: 'incident_id', label: 'Incident', hint: 'The related incident, inc_…' },
  ...{ required: false, code: true },
};

/** Takes the tier of an Orb away at once. */
export function Suspend({ of: orbId, onDone }: ActOn<string>) {
  return html`<${Act}
    label="Suspend"
    danger
    says=${html`<p>
      Removes its tier and suspends its certificates and its badge, immediately and for everyone. Policies that check
      its state see <code>suspended</code>. You can reinstate it.
    </p>`}
    call=${{ method: 'POST', path: `/reputation/${encodeURIComponent(orbId)}/suspend` }}
    fields=${[keptReason, incident]}
    word=${orbId}
    onDone=${onDone}
    done="It is suspended"
  />`;
}

/** Lifts a suspension by an operator. */
export function Reinstate({ of: orbId, onDone }: ActOn<string>) {
  return html`<${Act}
    label="Reinstate"
    says=${html`<p>Ends the suspension by an operator; other causes stay. The tier returns when its conditions are met.</p>`}
    call=${{ method: 'POST', path: `/reputation/${encodeURIComponent(orbId)}/reinstate` }}
    fields=${[keptReason]}
    onDone=${onDone}
    done="It is reinstated"
  />`;
}
