import { setTimeout as pause } from 'node:timers/promises';
import { totalmem } from 'node:os';
import type { StackAddresses } from '../embedded/stack.ts';
import { dataFolder, npmStart } from '../test/start/npm-start.ts';
import { machine } from './machine.ts';
import { startNewMachine } from './new-machine.ts';
import { proportionalMb } from './proportional-memory.ts';
import { vitals } from './vitals.ts';

const IDLE_SECONDS = 120;
const SAMPLE_SECONDS = 5;

/**
 * How long the first and the second `npm start` on a data folder take, and the idle memory of api and worker; with `new machine` how long
 * the first one takes where no package is installed.
 */
export async function start(print: (line: string) => void, which = ''): Promise<void> {
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  print(`${machine()}, ${gigabytes} GB`);
  if (which === 'new machine') {
    await startNewMachine(print);
    return;
  }
  await using folder = await dataFolder();
  for (const turn of ['first', 'second']) {
    const began = performance.now();
    const started = npmStart(folder.path);
    try {
      const addresses = await started.ready(600_000);
      const seconds = (performance.now() - began) / 1000;
      print(`${turn} start: ${seconds.toFixed(1)} s until ready${turn === 'second' ? ' (aim: at most 5 s)' : ''}`);
      if (turn === 'second') await measureIdle(addresses, print);
    } finally {
      await started.stop();
    }
  }
}

async function measureIdle({ metricsUrl, workerMetricsUrl }: StackAddresses, print: (line: string) => void) {
  const sums: number[] = [];
  for (let passed = 0; passed <= IDLE_SECONDS; passed += SAMPLE_SECONDS) {
    await pause(SAMPLE_SECONDS * 1000);
    const [api, worker] = await Promise.all([proportionalMb('embedded/api.ts'), proportionalMb('worker/main.ts')]);
    sums.push(api + worker);
  }
  const [api, worker] = await Promise.all([vitals(metricsUrl), vitals(workerMetricsUrl)]);
  const [last = 0, most] = [sums.at(-1), Math.max(...sums)];
  print(
    `idle for ${IDLE_SECONDS} s: api ${api.rssMb.toFixed(0)} MB, worker ${worker.rssMb.toFixed(0)} MB resident, pages of both counted twice`,
  );
  print(
    `api and worker together: ${last.toFixed(0)} MB, at most ${most.toFixed(0)} MB meanwhile (aim: at most 350 MB)`,
  );
}
