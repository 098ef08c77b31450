import { cosigner } from '../../../transactions/routes/example-wallet.ts';

export const claimExample = {
  id: '01a2b0c4-5d1e-7f20-8a3b-4c5d6e7f8091',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  wallet: cosigner,
  amount: 203571.428571,
  amountBaseUnits: '203571428571',
  payoutLovelace: '61071428',
  status: 'PAID' as const,
  transactionHash: '5c1d0e8f7b6a493827160594837261504f3e2d1c0b9a8f7e6d5c4b3a29180716',
  claimDeadline: '2027-03-14T07:58:40.000Z',
  createdAt: '2026-12-14T08:02:11.301Z',
  updatedAt: '2026-12-14T08:02:34.000Z',
};
