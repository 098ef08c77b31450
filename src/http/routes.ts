import type { RouteLists } from './app.ts';
import type { ApiContext } from './context.ts';
import { readLiveness, readReadiness } from './routes/health.ts';
import { cancelVaultRoute, getVault, getVaults, postVault } from './routes/vaults.ts';

/** Every operation of the service. */
export const apiRoutes: RouteLists<ApiContext> = {
  api: [postVault, getVaults, getVault, cancelVaultRoute],
  dev: [],
  open: [readLiveness, readReadiness],
};
