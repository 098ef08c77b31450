import { listUnsolicitedRoute } from './list-unsolicited.ts';
import { returnUnsolicitedRoute } from './return-unsolicited.ts';

export const unsolicitedRoutes = [listUnsolicitedRoute, returnUnsolicitedRoute];
