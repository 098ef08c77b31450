import { listVersionsRoute } from './list-versions.ts';
import { readVersionUsageRoute } from './read-version-usage.ts';

export const versionRoutes = [listVersionsRoute, readVersionUsageRoute];
