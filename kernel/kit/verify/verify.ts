import { systemClock, timestamp } from '../../tools/clock.ts';
import { ConfigError } from '../../error.ts';
import { version } from '../../tools/version.ts';
import { isSearchable } from '../conformance/secret-search.ts';
import { conformanceChecks } from '../conformance/suite.ts';
import { runChecks, type CheckResult, type VerifyReport } from './report.ts';
import type { VerifySettings } from './settings.ts';
import { loadSubject } from './subject.ts';
import { openTarget, type Target } from './target.ts';
import type { Builtin } from '../../boot/loaded.ts';

/** The shipped parts and the environment that verification uses. */
export interface VerifyOptions {
  readonly builtin: Builtin;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads an adapter as the platform would and runs the conformance suite on it. Throws ConfigError when the adapter
 * cannot be loaded, its settings have faults, or nothing permits to call it.
 */
export async function verifyProvider(
  file: string,
  settings: VerifySettings,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const subject = await loadSubject(file, settings, options);
  const { provider, orb, secrets } = subject;
  const { adapter } = provider;
  if (settings.fault_target?.url === undefined && !adapter.sandbox && settings.live !== true)
    throw new ConfigError([
      'verify.json: the adapter would call a real service; name the setting of its address in "fault_target", or allow real calls with "live": true',
    ]);
  // The loader has just accepted it as an object of the adapter's own schema.
  const config = provider.config as object;
  const started_at = timestamp(systemClock.now());
  const target = settings.fault_target === undefined ? undefined : await openTarget(config, settings.fault_target);
  const output = listenToOutput();
  try {
    const checks = conformanceChecks({
      adapter,
      orb: orb.manifest,
      inputs: settings.inputs,
      secrets,
      written: output.written,
      ...target?.options,
      config: () => target?.options.config ?? config,
    });
    const results = [...(await runChecks(checks, secrets)), ...skipped(target, secrets)];
    return {
      report_version: 1,
      version,
      adapter: adapter.name,
      orb_id: orb.orb_id,
      config_digest: provider.config_digest,
      started_at,
      conforms: results.every(({ status }) => status !== 'failed'),
      checks: results,
    };
  } finally {
    output.stop();
    await target?.close();
  }
}

// The report lists the checks that were skipped: without them it would look like a pass.
function skipped(target: Target | undefined, secrets: readonly string[]): readonly CheckResult[] {
  const skip = (title: string, detail: string): CheckResult => ({ title, status: 'skipped', detail, duration_ms: 0 });
  const why = 'verify.json names no "fault_target"';
  return [
    ...(target === undefined
      ? [
          skip('says the right outcome once, without a retry, when the other side fails', why),
          skip('returns soon after the signal, when the other side hangs', why),
        ]
      : []),
    ...(target?.options.receiver === undefined
      ? [
          skip(
            'passes its probe without an effect, and has one effect per call',
            'effects cannot be counted without a "fault_target" that is a URL',
          ),
        ]
      : []),
    ...(secrets.every(isSearchable)
      ? []
      : [
          skip(
            'writes no secret',
            'a configured secret is so short that other texts may contain it by chance; verify with a longer one',
          ),
        ]),
  ];
}

/** Output outside the log while it was captured. */
interface Output {
  written(): readonly string[];
  /** Ends the capture. */
  stop(): void;
}

/** Captures standard output and standard error: an adapter's prints there can hold a secret too. */
function listenToOutput(): Output {
  const texts: string[] = [];
  const stops = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      texts.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      // The remaining arguments are the optional encoding and callback of the same call.
      return (write as (...given: unknown[]) => boolean)(chunk, ...rest);
    };
    return () => void (stream.write = write);
  });
  return { written: () => texts, stop: () => stops.forEach((stop) => stop()) };
}
