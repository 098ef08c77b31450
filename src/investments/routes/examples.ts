import { investor } from '../../transactions/routes/example-wallet.ts';
import { exampleDepositScript } from '../../transactions/routes/example-scripts.ts';

// Recorded on a development stack.

export const investmentExample = {
  investmentId: '01a1ffab-8fe5-717c-bb18-74a06a2368f0',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  walletAddress: investor,
  lovelace: '200000000',
  deliveryDeposit: '2000000',
  minVaultValue: '520400000',
  maxFdv: '500000000',
  boundHolds: true,
  fdvBoundHolds: true,
  status: 'CONFIRMED',
  releaseReason: null,
  createdAt: '2026-11-22T19:54:10.411Z',
  ownerScript: exampleDepositScript(investor),
  transactionHash: '51c3c49a7e7ebdc2737875ddea5df2b87a45460923bdd22e27a096e5c0f2703b',
};
