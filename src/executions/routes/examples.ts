import { contributor, cosigner, investor } from '../../transactions/routes/example-wallet.ts';

// Recorded on a development stack.

export const executionExample = {
  id: '01a1ffac-9423-715e-a82b-eef7d0d4d2fb',
  proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
  status: 'FROZEN',
  reason: null,
  frozenBy: investor,
  executedBy: null,
  cosigners: [contributor, cosigner],
  requiredCosigners: 2,
  partner: investor,
  action: {
    type: 'sell_asset',
    details: {
      price: 260000000,
      policy_id: '7cd008e80052b1c34e30100f278b0b6b280a051078d9e007b64592fc',
      asset_name: 'HarbourLoft001',
    },
  },
  transaction: {
    hash: 'f790848b0ea13dda265b695081fc90cbf40da5d033bc87019ce6454e7fdab73a',
    status: 'awaiting_signatures',
    blockHeight: null,
    expiresAt: '2026-11-29T19:55:18.000Z',
    requiredSigners: [
      '7c1f0e5bd3a86c2499f1f3d2b6e0a4c85d7be2f193640ab8175ce09d',
      '28b862d001e6a64a02b3560cbc532eab4557593477c39cc523e0b9fc',
      '3346a630e6972bf38cce87219db1d63061e7cd324cad88c18e504f29',
      '5e0e57040b06e9d71e0f28f126262838a68db0b52b4fd1b3877dda22',
    ],
    unsignedTx: '84a500d9010282825820bc4e…',
  },
  confirmations: 0,
  finality: 'none',
  multiSignature: {
    hash: 'f790848b0ea13dda265b695081fc90cbf40da5d033bc87019ce6454e7fdab73a',
    signatures: [],
    signers: [],
    threshold: 3,
    required: 3,
    present: 0,
    missing: 3,
    keys: [
      {
        keyHash: '7c1f0e5bd3a86c2499f1f3d2b6e0a4c85d7be2f193640ab8175ce09d',
        wallet: null,
        isPlatform: true,
        isRequired: true,
        hasSigned: false,
      },
      {
        keyHash: '28b862d001e6a64a02b3560cbc532eab4557593477c39cc523e0b9fc',
        wallet: investor,
        isPlatform: false,
        isRequired: true,
        hasSigned: false,
      },
      {
        keyHash: '3346a630e6972bf38cce87219db1d63061e7cd324cad88c18e504f29',
        wallet: contributor,
        isPlatform: false,
        isRequired: true,
        hasSigned: false,
      },
      {
        keyHash: '5e0e57040b06e9d71e0f28f126262838a68db0b52b4fd1b3877dda22',
        wallet: cosigner,
        isPlatform: false,
        isRequired: true,
        hasSigned: false,
      },
    ],
  },
  createdAt: '2026-11-27T19:55:21.784Z',
  executedAt: null,
};
