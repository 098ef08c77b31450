import { loadApiConfig } from '../src/platform/config/api.ts';
import { runApi } from '../src/run-api.ts';

await runApi(loadApiConfig(), async (config) => {
  // A process that only starts others does not load it.
  const { createDevelopmentApi } = await import('./development-api.ts');
  return createDevelopmentApi(config);
});
