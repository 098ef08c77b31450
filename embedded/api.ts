import { once } from 'node:events';
import { createDevelopmentApi } from './development-api.ts';

const api = await createDevelopmentApi(process.env);
process.stdout.write(`${JSON.stringify({ ready: true, url: api.url, metricsUrl: api.metricsUrl })}\n`);
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
await api.close();
