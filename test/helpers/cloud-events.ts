import { createRequire } from 'node:module';

/** An event as the npm package `cloudevents` reads it. */
export interface ReadCloudEvent {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Throws when the event breaks the specification. */
  validate(): boolean;
}

/** A message of HTTP that bears an event. */
export interface Message {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Package {
  readonly HTTP: { toEvent(message: Message): ReadCloudEvent };
}

/** Media type of the structured form. */
export const structured = 'application/cloudevents+json';

/** Reads an event with the package, strictly: throws when it breaks the specification. */
export function readCloudEvent(message: Message): ReadCloudEvent {
  // Loaded here: the other tests run without the package.
  const { HTTP } = createRequire(import.meta.url)('cloudevents') as Package;
  const event = HTTP.toEvent(message);
  if (!event.validate()) throw new Error(`the package checks no events of version ${event.specversion}`);
  return event;
}
