import { investor } from './example-wallet.ts';

// Recorded on a development stack.

export const transactionExample = {
  hash: '51c3c49a7e7ebdc2737875ddea5df2b87a45460923bdd22e27a096e5c0f2703b',
  kind: 'invest',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  status: 'confirmed',
  blockHeight: 415,
  blockHash: 'b2a1f8c94d7703e65f10c4b83d2296ae47fd015b8e9c3a6d720f14e5d88b36c1',
  confirmations: 2,
  finality: 'medium',
  error: null,
  conflict: null,
  replacedBy: null,
  signer: 'wallet',
  wallet: investor,
  fee: '168349',
  expiresAt: '2026-11-22T20:24:10.000Z',
  requiredSigners: ['28b862d001e6a64a02b3560cbc532eab4557593477c39cc523e0b9fc'],
  createdAt: '2026-11-22T19:54:10.411Z',
  updatedAt: '2026-11-22T19:54:11.115Z',
  multiSignature: {
    hash: '51c3c49a7e7ebdc2737875ddea5df2b87a45460923bdd22e27a096e5c0f2703b',
    signatures: [
      'ac0df2aa4bf7b815e86aede3abe831d05e9f0f41dca6c2c551f4e91696d288d1db076b875a13eb73768bf1604416288e837c68a9818567632199112a5d8b5c0f',
    ],
    signers: ['28b862d001e6a64a02b3560cbc532eab4557593477c39cc523e0b9fc'],
    threshold: 1,
    required: 1,
    present: 1,
    missing: 0,
    keys: [
      {
        keyHash: '28b862d001e6a64a02b3560cbc532eab4557593477c39cc523e0b9fc',
        wallet: investor,
        isPlatform: false,
        isRequired: true,
        hasSigned: true,
      },
    ],
  },
  history: [
    { status: 'awaiting_signatures', at: '2026-11-22T19:54:10.411Z', blockHeight: null, blockHash: null, reason: null },
    { status: 'pending', at: '2026-11-22T19:54:10.550Z', blockHeight: null, blockHash: null, reason: null },
    { status: 'submitted', at: '2026-11-22T19:54:10.642Z', blockHeight: null, blockHash: null, reason: null },
    {
      status: 'confirmed',
      at: '2026-11-22T19:54:11.115Z',
      blockHeight: 415,
      blockHash: 'b2a1f8c94d7703e65f10c4b83d2296ae47fd015b8e9c3a6d720f14e5d88b36c1',
      reason: null,
    },
  ],
};
