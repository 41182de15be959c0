import { useState } from 'preact/hooks';
import { filled, type Call } from '../../frame/api.ts';
import { onSubmit, useCall } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import type { FieldFault } from '../../frame/problem.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import type { ActOn } from '../../parts/act.ts';
import { CheckField, SelectField, TextField, type Texts } from '../../parts/field.ts';
import { FormEnd } from '../../parts/form-end.ts';
import { Loading } from '../../parts/notice.ts';
import { OrbisetField, useOrbiset } from '../../parts/orbiset-field.ts';
import { isoOf, localOf, zoneName } from '../../parts/time.ts';
import { InputFields, useInputs, type Manifest } from '../try/inputs.ts';
import { changeOf, pathOf } from './schedule.ts';
import type { ListedOrb, Schedule } from '../../frame/wire.ts';

/** Creates a schedule: which Orb with which inputs, and when. */
export function NewSchedule({ query }: ScreenProps) {
  const orbiset = useOrbiset(query['orbiset']);
  const [orb, setOrb] = useState(query['orb_id'] ?? '');
  const reads = useScope('orbs:read');
  const orbs = useGet<{ readonly orbs: readonly ListedOrb[] }>(reads ? '/orbs?limit=100' : undefined).value?.orbs ?? [];
  const choose = (id: string): void => go(hrefOf('/schedules/new', { orbiset: id, orb_id: orb }), { replace: true });
  return html`<${Page}
    title="New schedule"
    above=${{ href: hrefOf('/schedules', { orbiset: orbiset.id }), name: 'Schedules' }}
    about="It runs with your key, as long as the key exists."
  >
    <div class="choose">
      <${TextField}
        label="Orb"
        value=${orb}
        onChange=${setOrb}
        options=${orbs.map(({ orb_id }) => orb_id)}
        placeholder="notify.email@1.0.0"
        code
      />
      <${OrbisetField} of=${orbiset} onChange=${choose} />
    </div>
    <${Chosen}
      key=${orb}
      orb=${orb}
      orbiset=${orbiset.id ?? ''}
      reads=${reads && orbs.some(({ orb_id }) => orb_id === orb)}
    />
  <//>`;
}

/** Changes a schedule: its times and rules, and its inputs if new ones are entered. */
export function EditSchedule({ of: schedule, onDone }: ActOn<Schedule>) {
  const { orb_id, orbiset_id } = schedule;
  const reads = useScope('orbs:read');
  const above = { href: hrefOf(pathOf(schedule)), name: orb_id };
  return html`<${Page} title="Change a schedule" above=${above} about="New times count from now on.">
    <${Chosen} orb=${orb_id} orbiset=${orbiset_id} reads=${reads} schedule=${schedule} onSaved=${onDone} />
  <//>`;
}

interface ChosenProps {
  readonly orb: string;
  readonly orbiset: string;
  /** The manifest of the Orb can be read. */
  readonly reads: boolean;
  /** The schedule that is changed; absent: a new one. */
  readonly schedule?: Schedule;
  readonly onSaved?: () => void;
}

function Chosen({ reads, ...props }: ChosenProps) {
  const { orb } = props;
  const { value, problem } = useGet<{ readonly manifest: Manifest }>(
    reads ? `/orbs/${encodeURIComponent(orb)}` : undefined,
  );
  if (reads && value === undefined && problem === undefined) return html`<${Loading} />`;
  const schema = value?.manifest.inputs_schema ?? {};
  return html`<${ScheduleForm} ...${props} schema=${schema} />`;
}

const choices = {
  overlap: [
    ['skip', 'Skip the run'],
    ['queue', 'Queue the run'],
  ],
  catch_up: [
    ['none', 'Do not make up for them'],
    ['one', 'Run once for all of them'],
  ],
} as const;

interface FormProps extends Omit<ChosenProps, 'reads'> {
  readonly schema: Manifest['inputs_schema'];
}

function ScheduleForm(props: FormProps) {
  const form = useSchedule(props);
  const { schedule } = props;
  return html`<form class="panel stack" onSubmit=${onSubmit(form.submit)} novalidate>
    <h2>Times</h2>
    <${Rules} of=${form} />
    <h2>Inputs</h2>
    <p class="muted">They are the same at each run, stored sealed and never shown again.</p>
    ${
      schedule !== undefined &&
      html`<${CheckField}
        label="Enter new inputs"
        hint="The schedule then takes your key, and its runs are yours."
        value=${form.renews}
        onChange=${form.setRenews}
      />`
    }
    ${form.renews && html`<${InputFields} inputs=${form.inputs} errors=${form.inputFaults} />`}
    <${FormEnd}
      of=${form}
      back=${schedule === undefined ? '/schedules' : pathOf(schedule)}
      label=${schedule === undefined ? 'Create schedule' : 'Save changes'}
    />
  </form>`;
}

function Rules({ of: { errorOf, set, typed } }: { readonly of: ReturnType<typeof useSchedule> }) {
  return html`<${TextField}
      label="Pattern"
      hint="Minute, hour, day of the month, month, weekday. “30 8 * * MON-FRI” is 08:30 from Monday to Friday."
      value=${typed['cron']}
      onChange=${set('cron')}
      error=${errorOf('cron')}
      code
    />
    <${TextField}
      label="Time zone"
      value=${typed['timezone']}
      onChange=${set('timezone')}
      error=${errorOf('timezone')}
      options=${[...new Set(['UTC', zoneName(false), ...Intl.supportedValuesOf('timeZone')])]}
    />
    <${SelectField}
      label="If the previous run has not ended"
      value=${typed['overlap']}
      onChange=${set('overlap')}
      options=${choices.overlap}
    />
    <${SelectField}
      label="If times were missed"
      value=${typed['catch_up']}
      onChange=${set('catch_up')}
      options=${choices.catch_up}
    />
    <${TextField}
      label="Last possible run, local time"
      value=${typed['until']}
      onChange=${set('until')}
      error=${errorOf('until')}
      type="datetime-local"
      required=${false}
    />`;
}

function useSchedule({ orb, orbiset, schema, schedule, onSaved }: FormProps) {
  const inputs = useInputs(schema);
  const [renews, setRenews] = useState(schedule === undefined);
  const [typed, setTyped] = useState<Texts>(typedOf(schedule));
  const [faults, setFaults] = useState<readonly FieldFault[]>([]);
  const calling = useCall();
  const { until = '', ...times } = typed;
  const end = isoOf(until);
  const given = renews ? { inputs: inputs.value } : {};
  const call: Call =
    schedule === undefined
      ? {
          ...{ method: 'POST', path: `/orbisets/${encodeURIComponent(orbiset)}/schedules` },
          body: { orb_id: orb, ...filled({ ...times, until: end }), ...given },
        }
      : changeOf(schedule, {
          // The field has no seconds, so an end that was not changed is not sent.
          ...{ ...filled(times), ...(until === localOf(schedule.until) ? {} : { until: end || null }), ...given },
        });
  const errors = calling.problem?.errors ?? [];
  const lacks = [
    [orb, 'Enter an Orb.'],
    [typed['cron'] ?? '', 'Enter a pattern.'],
  ].find(([text = '']) => text.trim() === '');
  const missing = lacks?.[1];
  return {
    ...{ ...calling, call, inputs, missing, renews, setRenews, typed },
    inputFaults: [...faults, ...errors.filter(({ pointer }) => pointer.startsWith('#/inputs'))],
    errorOf: (name: string) => errors.find(({ pointer }) => pointer === `#/${name}`)?.detail,
    set: (name: string) => (value: string) => setTyped({ ...typed, [name]: value }),
    submit(): void {
      const found = renews ? inputs.faults : [];
      setFaults(found);
      if (missing !== undefined || found.length > 0) return;
      void calling.send(call, (made: Schedule) => {
        onSaved?.();
        go(hrefOf(pathOf(made)));
      });
    },
  };
}

function typedOf(schedule: Schedule | undefined): Texts {
  if (schedule === undefined)
    return { cron: '', timezone: zoneName(false), overlap: 'skip', catch_up: 'none', until: '' };
  const { cron, timezone, overlap, catch_up, until } = schedule;
  return { cron, timezone, overlap, catch_up, until: localOf(until) };
}
