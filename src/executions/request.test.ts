import { expect, test } from '@jest/globals';
import { baseUnits } from '../platform/units/money.ts';
import { type ProposalEffect, resolveExecutionEffect } from '../proposals/rules/effects.ts';
import { exampleWallet } from '../transactions/routes/examples.ts';
import { ExecuteProposal, parseExecution } from './schemas.ts';

const asset = { policy_id: 'ab'.repeat(28), asset_name: '0x01' };
const bought = { policyId: asset.policy_id, assetNameHex: '01', price: null, sellerAddress: null };

test.each<[string, ProposalEffect]>([
  ['buy_asset', { type: 'BUY', assetIds: [], terms: { ...bought, quantity: baseUnits(2_500_000n) } }],
  ['stake_asset', { type: 'STAKE', assetIds: ['a'], terms: { direction: 'back', stakingAddress: exampleWallet } }],
])('%s takes the terms it omits from the approved proposal', (type, approved) => {
  const request = ExecuteProposal.parse({ executing_user: 'x', cosigners: [], action: { type, details: asset } });
  const assets = [{ id: 'a', policyId: asset.policy_id, assetNameHex: '01', status: 'LOCKED' }] as const;
  const { effect } = parseExecution(request, 0);
  expect(resolveExecutionEffect(approved, effect, assets)).toEqual(approved);
});
