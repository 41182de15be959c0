import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { CheckField, SelectField, TextField } from '../../parts/field.ts';
import type { IncidentDetail, PublicStatus } from '../../frame/wire.ts';

const phases = [
  ['same', 'no change'],
  ['investigating', 'investigating'],
  ['identified', 'identified'],
  ['monitoring', 'monitoring'],
] as const;

const longestTitle = 120;

/** Writes on an incident; a public note is shown as readers of the status page will see it. */
export function WriteNote({ of: { incident_id: id, phase: now }, onDone }: ActOn<IncidentDetail>) {
  const [shown, setShown] = useState(false);
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [phase, setPhase] = useState('same');
  const clear = (): void => {
    setTitle('');
    setText('');
    onDone();
  };
  // The first line of a public note is the public title when it is a heading.
  const whole = shown && title !== '' ? [`# ${title}`, text].filter((part) => part !== '').join('\n\n') : text;
  const body = { text: whole, public: shown, ...(shown && phase !== 'same' ? { phase } : {}) };
  const faults = title.length > longestTitle ? `At most ${longestTitle} characters.` : undefined;
  return html`<${Act}
    label="Add a note"
    says=${html`<p>Notes stay with the incident and cannot be changed later.</p>`}
    call=${{ method: 'POST', path: `/incidents/${id}/notes`, body }}
    missing=${whole.trim() === '' ? 'Enter a text.' : faults}
    onDone=${clear}
    done="The note was added"
  >
    <${CheckField}
      label="Public"
      hint="Shown to everyone on the status page and in its feed."
      value=${shown}
      onChange=${setShown}
    />
    ${
      shown &&
      html`<${TextField}
          label="Public title"
          hint="Replaces the automatic title, which names the services."
          error=${faults}
          value=${title}
          onChange=${setTitle}
          required=${false}
        />
        <${SelectField} label="Phase" value=${phase} onChange=${setPhase} options=${phases} />`
    }
    <${TextField} label="Note" value=${text} onChange=${setText} lines=${4} required=${!shown || title === ''} />
    ${shown && html`<${Preview} id=${id} title=${title} text=${text} phase=${phase === 'same' ? now : phase} />`}
  <//>`;
}

function Preview({ id, title, text, phase }: Readonly<Record<'id' | 'title' | 'text' | 'phase', string>>) {
  const { value } = useGet<PublicStatus>('/status');
  const present = value?.incidents.find((one) => one.id === id)?.title ?? 'Its title on the status page';
  return html`<section class="preview" aria-label="Preview">
    <p class="label">Preview of the status page</p>
    <h3>${title === '' ? present : title}</h3>
    ${text !== '' && html`<p><strong>${phase}</strong> <span class="muted">now</span></p>`}
    <p class="pre-line">${text}</p>
  </section>`;
}
