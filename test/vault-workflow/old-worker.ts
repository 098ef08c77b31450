import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadWorkerConfig } from '../../src/config/worker.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { runWorker } from '../../worker/worker.ts';
import { oldChanges } from './old-changes.ts';

/** A worker of a release that lacks the newest changes of the workflows. Its code is the bundle without the calls that make them. */
const config = loadWorkerConfig();
const logger = createLogger({ service: 'worker', level: config.logLevel });
const folder = await mkdtemp(join(tmpdir(), 'old-worker-'));
const workflowBundle = join(folder, 'workflows.cjs');
await writeFile(workflowBundle, withoutNewChanges(await readFile(config.workflowBundle ?? '', 'utf8')));

await runWorker(
  { ...config, workflowBundle },
  logger,
  (metricsUrl) => {
    process.stdout.write(`${JSON.stringify({ ready: true, metricsUrl })}\n`);
  },
  oldChanges,
);
await rm(folder, { recursive: true });

function withoutNewChanges(code: string): string {
  const call = /return (\(0,\s*[\w.]+\.patched\)\(change\));/;
  if (!call.test(code)) throw new Error('the bundle does not ask for changes as workflows/changes.ts does');
  return code.replace(call, `return ${JSON.stringify(oldChanges)}.includes(change) && $1;`);
}
