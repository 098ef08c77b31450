import { loadWorkerConfig } from '../src/config/worker.ts';
import { createLogger } from '../src/observability/logger.ts';
import { runWorker } from './worker.ts';

const config = loadWorkerConfig();
const logger = createLogger({ service: 'worker', level: config.logLevel });

await runWorker(config, logger, (started) => {
  process.stdout.write(`${JSON.stringify({ ready: true, ...started })}\n`);
});
