import { readFileSync } from 'node:fs';
import { compileLater, ConfigError, exactly, type Infer, optional } from '../../../kernel/index.ts';

const reply = {
  status: { type: 'integer', minimum: 200, maximum: 499 },
  headers: optional({ type: 'object', additionalProperties: { type: 'string' } }),
  body: optional({ type: ['object', 'string', 'array'] }),
} as const;
const pointer = { type: 'string', pattern: '^(/[^/~]+)+$', maxLength: 200 } as const;

// Schema of `verify.json`, the settings with which an adapter is verified.
const verifySettings = exactly({
  /** As in platform.json: secrets are references. */
  config: optional({ type: 'object' }),
  /** The Orb whose contract is used; default: the first one of the capability. */
  orb_id: optional({ type: 'string', maxLength: 200 }),
  inputs: { type: 'object' },
  /** The adapter may make real calls. */
  live: optional({ type: 'boolean' }),
  /** The setting whose address is replaced by that of a local server. */
  fault_target: optional({
    type: 'object',
    additionalProperties: false,
    properties: {
      /** Pointer to a URL in the configuration, `/url`: path and query stay. */
      url: pointer,
      /** The service's answer to a call that it accepts. */
      success: exactly({
        status: { type: 'integer', minimum: 200, maximum: 299 },
        headers: optional({ type: 'object', additionalProperties: { type: 'string' } }),
        body: optional({ type: ['object', 'string'] }),
      }),
      /** What the service answers at other paths than that of the call, such as a look-up; the first that fits counts. */
      answers: {
        type: 'array',
        maxItems: 20,
        items: exactly({
          ...reply,
          /** Default: any method. */
          method: optional({ type: 'string', pattern: '^[A-Z]+$', maxLength: 20 }),
          /** The path begins with it. */
          path: { type: 'string', pattern: '^/', maxLength: 500 },
          /** The answer for a key under which no call was accepted. */
          unknown_key: optional(exactly(reply)),
        }),
      },
      /** Pointers to host and port, for protocols other than HTTP. */
      host: pointer,
      port: pointer,
    },
    oneOf: [{ required: ['url', 'success'] }, { required: ['host', 'port'] }],
  }),
});

/** Settings with which an adapter is verified. */
export type VerifySettings = Infer<typeof verifySettings>;

const validate = compileLater(verifySettings);

/** Reads a file `verify.json`. Throws ConfigError with all faults. */
export function readSettings(file: string, shown: string): VerifySettings {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError([`${shown}: cannot be read as JSON (${code ?? message})`]);
  }
  const faults = validate(value).map(({ pointer: at, detail }) => `${shown}${at.slice(1)}: ${detail}`);
  if (faults.length > 0) throw new ConfigError(faults);
  return value as VerifySettings;
}
