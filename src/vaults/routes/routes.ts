import { eraseAdminEmailRoute, replaceAdminEmailRoute } from './admin-email.ts';
import { cancelVaultRoute } from './cancel-vault.ts';
import { changeAllowListRoute } from './change-allow-list.ts';
import { changeSettingsRoute } from './change-settings.ts';
import { createVaultRoute } from './create-vault.ts';
import { deleteVaultRoute } from './delete-vault.ts';
import { getVaultRoute } from './read-vault.ts';
import { listActivityRoute } from './list-activity.ts';
import { listVaultsRoute } from './list-vaults.ts';
import { getMetricsRoute } from './read-metrics.ts';

export const vaultRoutes = [
  createVaultRoute,
  listVaultsRoute,
  getVaultRoute,
  getMetricsRoute,
  listActivityRoute,
  changeSettingsRoute,
  changeAllowListRoute,
  cancelVaultRoute,
  deleteVaultRoute,
  replaceAdminEmailRoute,
  eraseAdminEmailRoute,
];
