import { loadApiConfig } from './platform/config/api.ts';
import { runApi } from './run-api.ts';

await runApi(loadApiConfig(), async (config) => {
  // A process that only starts others does not load it.
  const { createApi } = await import('./api.ts');
  return createApi(config);
});
