import { once } from 'node:events';
import { createApi } from './api.ts';
import { loadApiConfig } from './config/api.ts';

const api = await createApi(loadApiConfig());
process.stdout.write(`${JSON.stringify({ ready: true, url: api.url, metricsUrl: api.metricsUrl })}\n`);
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
await api.close();
