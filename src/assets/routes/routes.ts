import { addAssetRoute } from './add-asset.ts';
import { listAssetsRoute } from './list-assets.ts';
import { readAssetRoute } from './read-asset.ts';
import { removeAssetRoute } from './remove-asset.ts';

/** The operations on assets, in the order of the OpenAPI document. */
export const assetRoutes = [addAssetRoute, listAssetsRoute, readAssetRoute, removeAssetRoute];
