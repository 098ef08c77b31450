import { investRoute } from './invest.ts';
import { listInvestmentsRoute } from './list-investments.ts';

/** The operations on investments, in the order of the OpenAPI document. */
export const investmentRoutes = [investRoute, listInvestmentsRoute];
