import { listRemainsRoute } from './list-remains.ts';
import { readStatementRoute } from './read-statement.ts';

/** What the books of the vaults say. */
export const bookRoutes = [readStatementRoute, listRemainsRoute];
