// The client, whose process is killed as soon as a call was answered.
import { writeSync } from 'node:fs';
import * as client from 'agent-orb';

export * from 'agent-orb';

const thenDie =
  (call) =>
  async (...given) => {
    const end = await call(...given);
    writeSync(1, `called: ${(end.outcome ?? end).kind}\n`);
    process.kill(process.pid, 'SIGKILL');
    return end;
  };

export class Orb extends client.Orb {
  constructor(...given) {
    super(...given);
    const { run, tools } = this;
    this.run = thenDie(run);
    this.tools = async (...format) => {
      const found = await tools(...format);
      return { ...found, call: thenDie(found.call) };
    };
  }
}
