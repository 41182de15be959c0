import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, timestamp, type CommandCall, type Installation } from '../../../kernel/index.ts';
import { painted } from '../../terminal/contract.ts';
import { isSearchable } from '../conformance/secret-search.ts';
import { conformanceChecks } from '../conformance/suite.ts';
import { runChecks, shownReport, type CheckResult, type VerifyReport } from './report.ts';
import { readSettings, type VerifySettings } from './settings.ts';
import { adapterFile, isAdapterName, loadSubject, settingsFile, type AdapterPlace } from './subject.ts';
import { openTarget, type Target } from './target.ts';

/** Verifies the adapter of a call of `orb provider verify` and prints the report; returns the exit code. Throws ConfigError when it cannot be verified. */
export async function verifyAdapter({
  args: [path = ''],
  installation,
  options,
  print,
  screen,
}: CommandCall): Promise<number> {
  const given = options['config'];
  const file = adapterFile(path);
  if (file === undefined && (typeof given !== 'string' || !isAdapterName(path)))
    throw new ConfigError([`${path} is neither a file nor a folder with index.ts; a shipped adapter needs --config`]);
  const from = typeof given === 'string' ? resolve(given) : settingsFile(file ?? '');
  const settings = readSettings(from, typeof given === 'string' ? given : 'verify.json');
  const report = await verifyProvider(file === undefined ? { shipped: path } : { file }, settings, installation);
  const { report: to } = options;
  if (typeof to === 'string') writeFileSync(resolve(to), `${JSON.stringify(report, null, 2)}\n`);
  print(
    report,
    shownReport(report, (state, text) => painted(state, screen, text)),
  );
  if (!report.conforms) endSoon();
  return report.conforms ? 0 : 1;
}

// Resources that a leaking adapter left open would keep the process alive for ever; an idle process ends before this
// timer.
function endSoon(): void {
  setTimeout(() => process.exit(), 1000).unref();
}

/**
 * Loads an adapter as the platform would and runs the conformance suite on it. Throws ConfigError when the adapter
 * cannot be loaded, its settings have faults, or nothing permits to call it.
 */
async function verifyProvider(
  place: AdapterPlace,
  settings: VerifySettings,
  installation: Installation,
): Promise<VerifyReport> {
  const { adapter, config_digest, orb, secrets, ...subject } = await loadSubject(place, settings, installation);
  if (settings.fault_target?.url === undefined && !adapter.sandbox && settings.live !== true)
    throw new ConfigError([
      'verify.json: the adapter would call a real service; name the setting of its address in "fault_target", or allow real calls with "live": true',
    ]);
  // The loader has just accepted it as an object of the adapter's own schema.
  const config = subject.config as object;
  const started_at = timestamp(Date.now());
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
      version: installation.version,
      adapter: adapter.name,
      orb_id: orb.orb_id,
      config_digest,
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
  const why = 'verify.json names no "fault_target"';
  const checks: readonly (readonly [isSkipped: boolean, title: string, detail: string])[] = [
    [target === undefined, 'says the right outcome once, without a retry, when the other side fails', why],
    [target === undefined, 'returns soon after the signal, when the other side hangs', why],
    [
      target?.options.receiver === undefined,
      'passes its probe without an effect, and has one effect per call',
      'effects cannot be counted without a "fault_target" that is a URL',
    ],
    [
      !secrets.every(isSearchable),
      'writes no secret',
      'a configured secret is so short that other texts may contain it by chance; verify with a longer one',
    ],
  ];
  return checks
    .filter(([isSkipped]) => isSkipped)
    .map(([, title, detail]) => ({ title, status: 'skipped', detail, duration_ms: 0 }));
}

/** Captures standard output and standard error: an adapter's prints there can hold a secret too. */
function listenToOutput() {
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
  // `stop` ends the capture.
  return { written: (): readonly string[] => texts, stop: () => stops.forEach((stop) => stop()) };
}
