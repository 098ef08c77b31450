import { loadWorkerConfig } from '../src/platform/config/worker.ts';
import { createLogger } from '../src/platform/observability/logger.ts';
import { runWorker } from './worker.ts';

const config = loadWorkerConfig();
const logger = createLogger({ service: 'worker', level: config.logLevel });

await runWorker(config, logger, (started) => {
  process.stdout.write(`${JSON.stringify({ ready: true, ...started })}\n`);
});
