import { investRoute } from './invest.ts';
import { readInvestmentRoute } from './read-investment.ts';
import { removeInvestmentRoute } from './remove-investment.ts';
import { listInvestmentsRoute } from './list-investments.ts';

/** The operations on investments, in the order of the OpenAPI document. */
export const investmentRoutes = [investRoute, listInvestmentsRoute, readInvestmentRoute, removeInvestmentRoute];
