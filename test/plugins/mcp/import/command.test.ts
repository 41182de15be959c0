import { expect } from 'chai';
import { startCommandLine, type CommandLine, type Run } from '../../../helpers/command-line.ts';

const script = new URL('../../../providers/mcp/stdio-server.ts', import.meta.url).pathname;

describe('the command orb mcp import', function () {
  this.timeout(120_000);
  let line: CommandLine;
  before(async () => {
    const config = { command: process.execPath, args: [script] };
    line = await startCommandLine({ more: { tools: { adapter: 'mcp/stdio', config } } });
  });
  after(() => line.served.remove());

  it('shows the Orbs first; written, they run, and their receipts verify', () => {
    const dry = line.run(['mcp', 'import', 'tools', '--only', 'echo,env']);
    expect(dry.status, dry.stderr).to.equal(0);
    expect(dry.stdout).to.match(/^TOOL +ORB +CHANGE +EFFECT +ACTION +GUARD +ERRORS +TOKENS +WHY$/m);
    expect(dry.stdout).to.match(
      /^echo +tools\.echo@1\.0\.0 +new +irreversible +write +on +unknown +\d+ +nothing proves less$/m,
    );
    expect(dry.stderr).to.include('run again with --write').and.to.include('--tool-errors no_effect');
    const chosen = line.run([
      'mcp',
      'import',
      'tools',
      '--only',
      'echo',
      '--guard',
      'off:echo',
      '--tool-errors',
      'no_effect',
    ]);
    expect(chosen.stdout).to.match(/^echo +tools\.echo@1\.0\.0 +new +irreversible +write +off +no_effect +\d+ /m);
    expect(line.run(['orbs', 'show', 'tools.echo@1.0.0']).status).to.not.equal(0);
    const written = line.run(['mcp', 'import', 'tools', '--namespace', 'acme', '--only', 'echo', '--write']);
    expect(written.stderr).to.include('The Orbs are available.');
    const orbiset = { id: 'default', tenant: 'default', orbs: ['*'] };
    line.run(['orbisets', 'put', line.file('orbiset.json', { ...orbiset, id: 'tools' })]);
    const { outputs, receipt } = line.json<Run>('run', 'acme.echo@1.0.0', '{"value":"hi"}', '--orbiset', 'tools');
    expect(outputs).to.deep.equal({ content: [{ type: 'text', text: 'hi' }] });
    const saved = line.file('receipt.json', line.orb('receipts', 'get', receipt.receipt_id));
    expect(line.orb('receipts', 'verify', saved)).to.match(/^VERIFIED$/m);
  });

  it('takes the effects from the annotations only by word of the operator', () => {
    const report = line.json<{ tools: readonly { why: string }[] }>('mcp', 'import', 'tools', '--trust-annotations');
    expect(report.tools.map(({ why }) => why)).to.include('no annotation says less');
  });
});
