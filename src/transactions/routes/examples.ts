import { instant } from '../../platform/units/time.ts';
import { depositOwnerScript, stakeOwnerScript } from './owner-script.ts';

/** The nonce of the examples of a login. */
export const exampleNonce = 'Log in to https://vaults.example, nonce 5f0c8a1b2d3e4f60718293a4b5c6d7e8';

/** The wallet of the request examples; an address of the test network. */
export const exampleWallet = 'addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz';

// Wallets of the response examples, which were copied from a development stack.
export const admin =
  'addr_test1qr79wm0n5fucskn6f58u2qph9k4pm9hjd3nkx4pwe54ds4gh2vpy4h4r0sf5ah4mdrwqe7hdtfcqn6pstlslakxsengsgyx75q';
export const contributor =
  'addr_test1qqe5df3su6tjhuuve6rjr8d36ccxre7dxfx2mzxp3egy72vsetrga9el2yjke2fcdql6f6sjzu7h6prajs8mhzpm6r5qpkfq9m';
export const investor =
  'addr_test1qq5tscksq8n2vjszkdtqe0zn9645246ex3mu88x9y0stnlzjwyqgnrq3uuc3jst3hyy244rrwuxke0m7ezr3cn93u5vq0rfv8t';
export const cosigner =
  'addr_test1qp0qu4cypvrwn4c7pu50zf3x9qu2drdsk545l5dnsa7a5gsr6htafuvutm36rm23hdnsw7w7r82q4tljuh55drxqt30q6vm8vs';

const guard = {
  settlementKeyHash: '1f5b0c8a6e3d47921b0c5a4f7e8d9c0b1a2f3e4d5c6b7a8990817263',
  settlesBySlot: 129412447,
  settlesBy: instant(new Date('2026-11-30T19:54:07.200Z')),
};

/** The script of a deposit of a wallet, for response examples. */
export const exampleDepositScript = (owner: string) => depositOwnerScript(guard, owner, 0);

/** The script of a stake, for response examples. */
export const exampleStakeScript = stakeOwnerScript(
  '7e0f58a3c96b1d24e85fa07b3c92d6e14f80a5b7c3d9e2f1604b8a57',
  { wallet: cosigner, releaseSlot: 160343714, ownerAloneFrom: instant(new Date('2027-11-23T19:55:14.000Z')) },
  0,
);

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
