import { instant } from '../../platform/units/instant.ts';
import { cosigner } from './example-wallet.ts';
import { depositOwnerScript, stakeOwnerScript } from './owner-script.ts';

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
