import { expect, test } from '@jest/globals';
import { ServiceError } from '../../platform/errors.ts';
import { type Recipients, requireOthersThanOperator } from './pot.ts';

function refusedField(recipients: Recipients): unknown {
  try {
    requireOthersThanOperator(recipients, 'operator', { code: 'INVALID_REQUEST', field: 'terms' });
    return null;
  } catch (error) {
    return error instanceof ServiceError && error.details?.['errors'];
  }
}

test('the operator is named neither for assets nor for ADA of a vault that ends', () => {
  const refused = (field: string) => [
    { code: 'INVALID_REQUEST', field, message: 'The wallet of the platform cannot be named here.' },
  ];
  const others = [{ address: 'wallet' }, { address: 'operator' }];
  expect(refusedField({ remainingAssetsTo: 'operator' })).toEqual(refused('terms.remaining_assets_to'));
  expect(refusedField({ unclaimedLovelaceTo: 'operator' })).toEqual(refused('terms.unclaimed_lovelace_to'));
  expect(refusedField({ remainingAssets: others })).toEqual(refused('terms.remaining_assets.1.address'));
  expect(refusedField({ remainingAssetsTo: 'wallet', unclaimedLovelaceTo: 'wallet' })).toBeNull();
  expect(refusedField({})).toBeNull();
});
