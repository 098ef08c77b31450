import { expect, test } from '@jest/globals';
import { apiRoutes } from './routes.ts';

/** The exceptions to 201 and 204, by the rule in docs/adr/0022-http.md. */
const answering200 = [
  'post /vaults/:vaultId/cancel',
  'post /proposals/:proposalId/votes',
  'post /proposals/:proposalId/execute',
  'post /transactions/:hash/witnesses',
  'post /batch',
  'delete /vaults/:vaultId',
  'delete /vaults/:vaultId/assets/:assetId',
  'delete /vaults/:vaultId/investments/:investmentId',
  'delete /stakes/:stakeId',
  'delete /proposals/:proposalId',
  'delete /votes/:voteId',
  'delete /transactions/:hash',
];

test('a POST answers 201 and a DELETE 204, but for the exceptions that were decided', () => {
  const usual: Partial<Record<string, string>> = { post: '201', delete: '204' };
  const unusual = apiRoutes.api
    .filter(({ method, responses }) => usual[method] && !Object.hasOwn(responses, usual[method]))
    .map(({ method, path, responses }) => `${method} ${path} ${Object.keys(responses).join()}`);
  expect(unusual.toSorted()).toEqual(answering200.map((operation) => `${operation} 200`).toSorted());
});
