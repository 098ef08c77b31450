import { once } from 'node:events';
import { createApi } from '../src/api.ts';
import { loadApiConfig } from '../src/config.ts';

const api = await createApi(loadApiConfig());
process.stdout.write(`${JSON.stringify({ ready: true, url: api.url })}\n`);
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
await api.close();
