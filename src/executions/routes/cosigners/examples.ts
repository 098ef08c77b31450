import { contributor } from '../../../transactions/routes/example-wallet.ts';

// Recorded on a development stack.

export const cosignerExample = {
  keyHash: '3346a630e6972bf38cce87219db1d63061e7cd324cad88c18e504f29',
  wallet: contributor,
  staked: 271428.571429,
  stakedBaseUnits: '271428571429',
};
