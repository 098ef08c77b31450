import { deleteFeatureFlagRoute, putFeatureFlagRoute } from './change-flags.ts';
import { listFeatureFlagsRoute, listFeaturesRoute } from './read-flags.ts';

export const featureFlagRoutes = [
  listFeaturesRoute,
  listFeatureFlagsRoute,
  putFeatureFlagRoute,
  deleteFeatureFlagRoute,
];
