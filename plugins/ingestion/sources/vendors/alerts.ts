import { at, idOf, isRecord, labelsOf, number, text, time } from './read.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { Draft } from './vendor.ts';
import { namesOwnMetric } from './own-metrics.ts';

/** Reads the list `alerts`, which Alertmanager and Grafana share. Throws Undecodable when a template replaced it. */
export function alertsOf(payload: unknown): readonly unknown[] {
  const alerts = at(payload, 'alerts');
  if (!Array.isArray(alerts))
    throw new Undecodable('unknown_shape', 'there are no alerts; remove the payload template, or use a generic source');
  return alerts as readonly unknown[];
}

/** Makes the draft of one alert; uses the state of the alert, not that of the group. */
export function alertDraft(alert: unknown, payload: unknown): Draft {
  if (!isRecord(alert)) throw new Undecodable('unknown_shape', 'an alert is not an object');
  const labels = labelsOf(alert, 'labels');
  const annotations = labelsOf(alert, 'annotations');
  const status = text(alert, 'status');
  const [starts_at, ends_at] = [time(alert, 'startsAt'), time(alert, 'endsAt')];
  const state = status === 'firing' ? 'firing' : status === 'resolved' ? 'resolved' : 'info';
  return {
    type: 'orb.signal.alert',
    vendor_type: status ?? 'unknown',
    occurred_at: state === 'resolved' ? endOf(starts_at, ends_at) : starts_at,
    starts_at,
    // While an alert fires, its end is the year 1 or the time at which it would expire.
    ends_at: state === 'resolved' ? ends_at : undefined,
    state,
    severity_text: labels['severity'] ?? labels['priority'],
    title: annotations['summary'] ?? labels['alertname'] ?? 'Alert',
    summary: annotations['description'] ?? annotations['message'],
    url: text(alert, 'generatorURL'),
    episode_key: `alert:${text(alert, 'fingerprint') ?? fingerprintOf(alert, labels)}`,
    labels,
    annotations,
    own: namesOwnMetric(text(alert, 'generatorURL')) || namesOwnMetric(text(alert, 'valueString')),
    incomplete: (number(payload, 'truncatedAlerts') ?? 0) > 0,
  };
}

// The end comes from another clock than the start, and may lie before it. No alert ends before it began.
function endOf(starts: number | undefined, ends: number | undefined): number | undefined {
  return starts !== undefined && ends !== undefined ? Math.max(starts, ends) : (ends ?? starts);
}

// A template may have dropped the fingerprint; the vendor computes it from the labels.
function fingerprintOf(alert: unknown, labels: Readonly<Record<string, string>>): string {
  if (Object.keys(labels).length === 0) return idOf('unknown', alert, 'fingerprint');
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Makes the alert of a test delivery in the form that both vendors send. */
export function testAlert(nowMs: number, id: string, labels: Readonly<Record<string, string>>, summary: string) {
  return {
    status: 'firing',
    labels,
    annotations: { summary },
    startsAt: new Date(nowMs).toISOString(),
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: '',
    fingerprint: id,
  };
}
