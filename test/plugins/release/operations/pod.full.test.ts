import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { releaseOf } from '../../../../plugins/release/build/release.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { need } from '../../../helpers/needs.ts';
import { runPython } from '../../../helpers/python.ts';
import { build } from '../built.ts';
import { expectReceipt } from '../first-receipt.ts';
import { goTool } from '../go-tool.ts';
import { engineIn, removeEngines, expectDone, whenStarted } from './engine.ts';

describe('the pod of the chart', function () {
  this.timeout(300_000);
  const { folder, version } = releaseOf(packageDir);
  let dir: string;
  let helm: string;
  before(function () {
    need(this, 'go', 'podman', 'pods', 'python');
    build(this, 'executables', 'image', 'operations');
    helm = goTool(packageDir, 'helm.sh/helm/v4/cmd/helm', 'v4.3.1');
    dir = mkdtempSync('/var/tmp/orb-pod-');
    chmodSync(dir, 0o755);
  });
  after(() => removeEngines(dir));

  it('runs with the rights that the chart gives it: a receipt is verified', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const chart = join(folder, `agent-orb-platform-${version}-chart.tgz`);
    // What is loaded from the archive has no digest of a registry.
    const values = ['image.repository=localhost/agent-orb-platform', 'image.digest='];
    const words = ['template', 'orb', chart, ...values.flatMap((value) => ['--set', value])];
    writeFileSync(join(dir, 'chart.yaml'), execFileSync(helm, words));
    const script = join(import.meta.dirname, 'pod.py');
    writeFileSync(join(dir, 'pod.yaml'), await runPython([script, join(dir, 'chart.yaml'), address], { cwd: dir }));
    const engine = engineIn(dir, dir);
    expectDone(engine.shell(`podman load --input '${folder}'/agent-orb-platform-*-image.tar`));
    expectDone(engine.shell('podman kube play --network host pod.yaml'));
    const [installed, running] = await whenStarted(engine, {
      ...{ container: 'orb-0-orb', volume: 'state-orb-0', state: 'state', address },
      remove: 'podman pod rm --force orb-0',
    });
    try {
      const format = '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.EffectiveCaps}} {{.HostConfig.SecurityOpt}}';
      const { stdout } = engine.shell(`podman inspect --format '${format}' orb-0-orb`);
      expect(stdout.trim()).to.equal('true 65532:65532 [] [no-new-privileges]');
      await expectReceipt(installed, running);
    } finally {
      expect(await running.stop()).to.equal(0);
    }
  });
});
