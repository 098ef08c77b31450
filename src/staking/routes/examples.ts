import { cosigner } from '../../transactions/routes/example-wallet.ts';
import { exampleStakeScript } from '../../transactions/routes/example-scripts.ts';

// Recorded on a development stack.

export const stakeExample = {
  id: '01a1ffab-ac07-78b4-b5bf-d4db3a884ae8',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  wallet: cosigner,
  amount: 203571.428571,
  amountBaseUnits: '203571428571',
  status: 'LOCKED',
  lockedUntil: '2026-12-04T19:58:24.617Z',
  votingPower: 203571.428571,
  votingPowerBaseUnits: '203571428571',
  usedPower: 200000,
  usedPowerBaseUnits: '200000000000',
  createdAt: '2026-11-23T19:55:14.158Z',
  updatedAt: '2026-11-28T19:58:24.717Z',
  transactions: { stakeHash: 'ff024d128d463ccb17d31ab64f13111d525c2395054e2974c644123525ad76d7' },
  finalAt: '2026-11-23T19:55:16.630Z',
  releaseReason: null,
  scriptAddress: exampleStakeScript.address,
  releaseSlot: 160343714,
  ownerAloneFrom: '2027-11-23T19:55:14.000Z',
  allowedActions: [{ action: 'unstake', allowed: false, reason: 'STAKE_LOCKED' }],
  ownerScript: exampleStakeScript,
};
