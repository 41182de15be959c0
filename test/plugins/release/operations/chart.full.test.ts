import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { platformFile, variables } from '../../../../kernel/config/settings.ts';
import { compile } from '../../../../kernel/tools/schema.ts';
import { guideBlocks } from '../../../helpers/guide.ts';
import { goTool } from '../go-tool.ts';
import { operations } from '../../../../plugins/release/build/operations.ts';
import { releaseOf } from '../../../../plugins/release/build/release.ts';
import { tarball } from '../../../../plugins/kit/packages/tar.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { need } from '../../../helpers/needs.ts';
import { shippedProgram } from '../../../helpers/program.ts';
import { runPython } from '../../../helpers/python.ts';
import { refusedSets, valueSets, type Values } from './value-sets.ts';

interface Manifest {
  readonly kind: string;
  readonly spec: any; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly data?: Readonly<Record<string, string>>;
}

/** One variable of a container. */
interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

// RELEASE_SOAK=1: the older line of Helm, too.
const isWhole = process.env['RELEASE_SOAK'] === '1';
const helms = (
  [
    ['helm.sh/helm/v4/cmd/helm', 'v4.3.1'],
    ['helm.sh/helm/v3/cmd/helm', 'v3.22.0'],
  ] as const
).slice(0, isWhole ? 2 : 1);

// A Helm that Go has built without its release's flags takes an old Kubernetes for the newest.
const cluster = ['--kube-version', '1.34'];
const digest = `sha256:${'cd'.repeat(32)}`;

describe('the chart', function () {
  this.timeout(120_000);
  const release = releaseOf(packageDir);
  const name = `agent-orb-platform-${release.version}-chart.tgz`;
  let dir: string;
  before(async function () {
    need(this, 'go', 'python');
    dir = mkdtempSync(join(tmpdir(), 'orb-chart-'));
    writeImage(dir, release.version);
    await operations({ ...release, folder: dir });
  });
  after(() => dir !== undefined && rmSync(dir, { recursive: true, force: true }));

  for (const [module, version] of helms)
    describe(`by Helm ${version}`, () => {
      let tool: string;
      let rendered: Readonly<Record<string, readonly Manifest[]>>;
      before(async function () {
        this.timeout(900_000);
        tool = goTool(packageDir, module, version);
        const files = Object.entries(valueSets).map(([title, values], at) => {
          const file = join(dir, `${version}-${at}.yaml`);
          const found = helm('template', values);
          expect(found.status, `${title}: ${found.stderr}`).to.equal(0);
          writeFileSync(file, found.stdout);
          return [title, file] as const;
        });
        const judge = join(import.meta.dirname, 'manifests.py');
        const printed = await runPython([judge, '1.30,1.34', ...files.map(([, file]) => file)], { cwd: dir });
        const objects = JSON.parse(printed) as Readonly<Record<string, readonly Manifest[]>>;
        rendered = Object.fromEntries(files.map(([title, file]) => [title, objects[file] ?? []]));
      });

      function helm(command: 'lint' | 'template', values: Values) {
        const file = join(dir, 'values.json');
        writeFileSync(file, JSON.stringify(values));
        const words = command === 'lint' ? ['lint', '--strict'] : ['template', 'orb', '--namespace', 'orbs'];
        const env = { ...process.env, HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir };
        const all = [...words, join(dir, name), '--values', file, ...cluster];
        return spawnSync(tool, all, { env, encoding: 'utf8' });
      }

      const only = (title: string, kind: string): Manifest => {
        const found = (rendered[title] ?? []).filter((one) => one.kind === kind);
        expect(found, `${title}: ${kind}`).to.have.length(1);
        return found[0] as Manifest;
      };
      const podOf = (title: string) => only(title, 'StatefulSet').spec.template.spec;
      const settingsOf = (title: string) => JSON.parse(only(title, 'ConfigMap').data?.['platform.json'] ?? '');

      it(`takes ${Object.keys(valueSets).length} sets of values`, () => {
        expect(Object.keys(valueSets)).to.have.length.at.least(30);
        // All of them are templates above; the rules of Helm look at the same objects. In full with RELEASE_SOAK=1.
        for (const [title, values] of Object.entries(valueSets).filter((_, at) => isWhole || at % 6 === 0)) {
          const { status, stdout, stderr } = helm('lint', values);
          expect(status, `${title}: ${stdout}${stderr}`).to.equal(0);
        }
      });

      for (const [title, values, sentence] of refusedSets)
        it(`refuses ${title}`, () => {
          const { status, stderr } = helm('template', values);
          expect(status).to.equal(1);
          expect(stderr.replace(/\s+/g, ' ')).to.include(sentence);
        });

      it('makes the objects that the values ask for, and no others', () => {
        for (const [title, values] of Object.entries(valueSets)) {
          const isOn = (part: string): boolean => (values[part] as { enabled?: boolean } | undefined)?.enabled === true;
          const several = Number(values['replicas'] ?? 1) > 1 && values['podDisruptionBudget'] === undefined;
          expect((rendered[title] ?? []).map(({ kind }) => kind)).to.have.members([
            ...['ConfigMap', 'Service', 'StatefulSet'],
            ...(isOn('ingress') ? ['Ingress'] : []),
            ...(isOn('serviceMonitor') ? ['ServiceMonitor'] : []),
            ...(isOn('networkPolicy') ? ['NetworkPolicy'] : []),
            ...(several ? ['PodDisruptionBudget'] : []),
          ]);
          expect(only(title, 'StatefulSet').spec.replicas).to.equal(values['replicas'] ?? 1);
        }
      });

      it('gives the pods no right that they do not need', () => {
        for (const title of Object.keys(valueSets)) {
          const { containers, securityContext, ...pod } = podOf(title);
          expect(securityContext).to.deep.equal({
            ...{ runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 },
            fsGroupChangePolicy: 'OnRootMismatch',
            seccompProfile: { type: 'RuntimeDefault' },
          });
          expect(pod).to.include({ automountServiceAccountToken: false, enableServiceLinks: false });
          expect(pod).not.to.have.any.keys('hostNetwork', 'hostPID', 'hostIPC', 'initContainers');
          expect(containers).to.have.length(1);
          expect(containers[0].securityContext).to.deep.equal({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
        }
      });

      it('asks the server whether it lives and is ready, and stops it in time', () => {
        for (const [title, { tls }] of Object.entries(valueSets)) {
          const { containers, terminationGracePeriodSeconds } = podOf(title);
          const [{ lifecycle, livenessProbe, readinessProbe, startupProbe }] = containers;
          const ask = { port: 'api', scheme: tls === undefined ? 'HTTP' : 'HTTPS' };
          expect(livenessProbe.httpGet).to.deep.equal({ ...ask, path: '/health' });
          expect(startupProbe.httpGet).to.deep.equal({ ...ask, path: '/health' });
          expect(readinessProbe.httpGet).to.deep.equal({ ...ask, path: '/health/ready' });
          const { drain_ms: open = 30_000, drain_notice_ms: notice = 0 } = settingsOf(title);
          const stop = lifecycle.preStop.sleep.seconds + (open + notice) / 1000;
          expect(terminationGracePeriodSeconds).to.be.above(stop);
        }
      });

      it('names the image of the release by its digest, unless values name another', () => {
        const imageOf = (feature: string) => podOf(`sqlite with ${feature}`).containers[0].image;
        const here = `images.example.com/orb:${release.version}`;
        expect(imageOf('nothing else')).to.equal(`${here}@${digest}`);
        expect(imageOf('a digest')).to.equal(`${here}@sha256:${'ab'.repeat(32)}`);
        expect(imageOf('a tag')).to.equal('images.example.com/orb:9.9.9-mine');
      });

      it('has settings and variables that the server knows, and no secret among them', () => {
        const faultsOf = compile(platformFile);
        for (const [title, values] of Object.entries(valueSets)) {
          expect(only(title, 'ConfigMap').data).to.have.all.keys('platform.json');
          const settings = settingsOf(title);
          expect(faultsOf(settings), title).to.deep.equal([]);
          expect(settings, title).to.containSubset(values.settings ?? {});
          const [{ env, envFrom = [] }] = podOf(title).containers;
          for (const { name: variable, value, valueFrom } of env as readonly Variable[]) {
            expect(variables, title).to.have.property(variable);
            // What is in the manifest itself is no secret.
            if (valueFrom === undefined)
              expect([variable, value]).to.deep.equal(['ORB_STATE_DIR', '/var/lib/orb/state']);
          }
          const secrets = (values['secrets'] ?? []) as readonly string[];
          expect(envFrom).to.deep.equal(secrets.map((one) => ({ secretRef: { name: one } })));
          const names = (env as readonly Variable[]).map((one) => one.name);
          expect(names.includes('ORB_STORE_URL')).to.equal(title.startsWith('postgres'));
        }
      });

      it('takes what the page on installation says', () => {
        const blocks = guideBlocks('plugins/docs/pages/operate/install.md').filter(
          ({ heading }) => heading === 'Kubernetes',
        );
        for (const { code, file } of blocks) if (file !== undefined) writeFileSync(join(dir, file), code);
        const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code.trim());
        expect(commands).to.have.length(2);
        const images = commands.map((command) => {
          const script = command
            .replace('helm install', `'${tool}' template ${cluster.join(' ')}`)
            .replace('1.0.0', release.version);
          const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { cwd: dir, encoding: 'utf8' });
          expect(status, stderr).to.equal(0);
          return /image: "(.*)"/.exec(stdout)?.[1];
        });
        expect(new Set(images)).to.deep.equal(new Set([`images.example.com/orb:${release.version}@${digest}`]));
      });

      for (const store of ['sqlite', 'postgres'])
        it(`makes settings that a server takes, with ${store}, and without a password in them`, () => {
          const home = join(dir, `home-${store}-${version}`);
          mkdirSync(join(home, 'data'), { recursive: true });
          const settings = settingsOf(`${store} with a mail server with its password in a Secret`);
          const database = { ORB_STORE_URL: 'postgres://orb:x@db.example.com/orb', ORB_MASTER_KEY: 'ab'.repeat(32) };
          const env = {
            ...{ PATH: process.env['PATH'], ORB_NODE: 'orb-0', ORB_STATE_DIR: join(home, 'state'), SMTP_PASSWORD: 'x' },
            ...(store === 'postgres' ? database : {}),
          };
          const check = () => {
            writeFileSync(join(home, 'data/platform.json'), JSON.stringify(settings));
            const words = [shippedProgram, 'config', 'check', '--home', home];
            return spawnSync(process.execPath, words, { cwd: home, env, encoding: 'utf8' });
          };
          const { status, stdout, stderr } = check();
          expect(status, stdout + stderr).to.equal(0);
          // A ConfigMap with a password is refused by the server.
          settings.providers.mail.config.auth.password = 'hunter2';
          expect(check().stderr).to.include('password: is a secret and must not be written here');
        });
    });

  it('is made of the same bytes again', async () => {
    const again = join(dir, 'again');
    mkdirSync(again);
    writeImage(again, release.version);
    await operations({ ...release, folder: again });
    const list = (folder: string): string =>
      execFileSync('sha256sum', [name, 'compose.yaml', 'compose.ha.yaml'], { cwd: folder, encoding: 'utf8' });
    expect(list(again)).to.equal(list(dir));
  });
});

/** Writes what the step before leaves of the image: as much as the chart takes of it. */
function writeImage(folder: string, version: string): void {
  const index = JSON.stringify({ manifests: [{ digest }] });
  const file = join(folder, `agent-orb-platform-${version}-image.tar`);
  writeFileSync(file, tarball([{ path: 'index.json', content: index }], 0));
}
