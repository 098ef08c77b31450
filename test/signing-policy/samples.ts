import { blake2b256 } from '../../src/cardano/blake2b.ts';
import { buildAddAssets, deliveryDeposits, buildDepositReturn, buildInvest } from '../../src/cardano/build/deposits.ts';
import { buildAnchor } from '../../src/cardano/build/anchor.ts';
import { buildCustodyMove } from '../../src/cardano/build/custody.ts';
import { buildFanOut } from '../../src/cardano/build/funding.ts';
import { buildStake, buildUnstake } from '../../src/cardano/build/staking.ts';
import { buildVaultCreation } from '../../src/cardano/build/settlement.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import { depositAddressOf, stakeAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { policyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { ftUnit } from '../../src/cardano/tokens/fractional-token.ts';
import { vaultNftNameHex } from '../../src/cardano/tokens/vault-nft.ts';
import { outputUtxo, type Utxo } from '../../src/cardano/transaction.ts';
import type { BuiltTransaction } from '../../src/cardano/transaction.ts';
import { commitmentToCreation } from '../../src/settlement/rules/plan-commitment.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { refText, type TransactionKind } from '../../src/transactions/rules.ts';
import type { EvidenceByKind } from '../../src/signing-policy/evidence.ts';
import { vaultAddressesOf } from '../../src/signing-policy/addresses.ts';
import type { PlatformKey } from '../../src/signing-policy/policy.ts';
import {
  context,
  deadlineSlot,
  depositOf,
  keys,
  longUnit,
  operator,
  ttlSlot,
  utxo,
  vault as sample,
  vaultTerms,
  wallet,
} from '../chain/sample-context.ts';

/** A real transaction of the builders, and the evidence that honest rows give for it. */
export interface Sample<Kind extends TransactionKind = TransactionKind> {
  readonly built: BuiltTransaction;
  readonly evidence: EvidenceByKind[Kind];
  readonly keys: readonly PlatformKey[];
  /** Wallets that have signed it. */
  readonly signedBy?: readonly string[];
}

export const vaultKeyHash = sample.key.keyHash;
export const policyKeyHash = sample.policyKey.keyHash;
/** The vault of all samples. */
const guards = {
  policyKeyHash,
  settlementKeyHash: vaultKeyHash,
  cosigners: null,
  settlesBySlot: deadlineSlot,
};
export const vault = vaultAddressesOf({ ...guards, vaultKeyHash, formerCustodies: [] }, 0);
const formerCustodies = [{ vaultKeyHash, cosigners: null, contractAddress: vault.custody }];
/** The same vault after a rotation to another key. */
const rotated = vaultAddressesOf({ ...guards, vaultKeyHash: keys.vaultKey(7).keyHash, formerCustodies }, 0);
export const policy = policyScript({ policyKeyHash, deadlineSlot: ttlSlot });
export const nameHex = Buffer.from('Art').toString('hex');
export const ft = ftUnit(scriptHash(policy), nameHex);
export const { ftSupply: supply } = vaultTerms;
/** The leaf of the terms of the vault. */
export const terms = commitmentToCreation(blake2b256, vaultTerms);
const operatorKeyHash = keys.operator.keyHash;
export const art = longUnit(1);
export const owner = wallet(1);
export const other = wallet(2);

export const creation: Sample<'create_vault'> = {
  built: buildVaultCreation(
    context,
    {
      id: 'vault-1',
      name: 'Art',
      terms: { ...vaultTerms, type: 'PUBLIC', valuationType: 'LBE' },
      contractAddress: vault.custody,
      policyKeyHash,
    },
    { operator: operator(30_000_000n), image: 'ipfs://picture', ttlSlot },
  ),
  evidence: { vault, vaultId: 'vault-1', nftNameHex: vaultNftNameHex('Art'), terms, earlierCreation: null },
  keys: ['operator', 'policy'],
};

/** Where the deposits of an owner lie. */
export const depositAddress = (ownerKeyHash: string) => depositAddressOf(vault, ownerKeyHash, 0).address;
const ownDeposit = depositAddress(operatorKeyHash);
const operatorWith = (...utxos: readonly Utxo[]) => ({ ...operator(), utxos });

export const addAsset: Sample<'add_asset'> = {
  built: buildAddAssets(context, {
    owner: operatorWith(utxo(keys.operator.address, 20_000_000n, [[art, 5n]])),
    depositAddress: ownDeposit,
    assets: [{ unit: art, quantity: 3n }],
    deliveryDeposit: deliveryDeposits(context.parameters).asset,
    ttlSlot,
  }),
  evidence: { vault, mayDeposit: true },
  keys: ['operator'],
};

export const invest: Sample<'invest'> = {
  built: buildInvest(context, {
    investor: operator(80_000_000n),
    depositAddress: ownDeposit,
    lovelace: lovelace(50_000_000n),
    deliveryDeposit: lovelace(2_000_000n),
    ttlSlot,
  }),
  evidence: {},
  keys: ['operator'],
};

const releaseSlot = 900_000;
const stakedAt = (ownerKeyHash: string) => stakeAddressOf(vault, { ownerKeyHash, releaseSlot }, 0);

export const stake: Sample<'stake'> = {
  built: buildStake(context, {
    owner: operatorWith(utxo(keys.operator.address, 20_000_000n, [[ft, 500n]])),
    stakeAddress: stakedAt(operatorKeyHash).address,
    ftUnit: ft,
    amount: 300n,
    returnDeposit: lovelace(2_500_000n),
    ttlSlot,
  }),
  evidence: {},
  keys: ['operator'],
};

const staked = stakedAt(owner.key.keyHash);

export const unstake: Sample<'unstake'> = {
  built: buildUnstake(context, {
    stake: { utxo: utxo(staked.address, 2_500_000n, [[ft, 300n]]), script: staked.script },
    owner: owner.address,
    ownerKeyHash: owner.key.keyHash,
    vaultKeyHash,
    ttlSlot,
  }),
  evidence: { vault, stakeKeyHash: vaultKeyHash, releaseSlot },
  keys: ['vault'],
  signedBy: [owner.key.keyHash],
};

const returned = () =>
  buildDepositReturn(context, {
    deposits: [depositOf(owner, 52_000_000n), depositOf(other, 4_000_000n, [[art, 1n]]), depositOf(other, 30_000_000n)],
    signers: [vaultKeyHash],
    ttlSlot,
  }).transaction;

export const refund: Sample<'refund'> = { built: returned(), evidence: { vault }, keys: ['vault'] };

const gift = utxo(vault.custody, 9_000_000n, [[art, 2n]]);

export const unsolicited: Sample<'return_unsolicited'> = {
  built: buildDepositReturn(context, {
    deposits: [{ utxo: gift, script: sample.custody, owner: other.address }, depositOf(other, 8_000_000n)],
    signers: [vaultKeyHash],
    ttlSlot,
  }).transaction,
  evidence: { vault, foreign: new Set([refText(gift)]) },
  keys: ['vault'],
};

export const fanOut: Sample<'fan_out'> = {
  built: buildFanOut(context, {
    operator: operator(90_000_000n),
    count: 4,
    lovelace: lovelace(15_000_000n),
    ttlSlot,
  }),
  evidence: {},
  keys: ['operator'],
};

const batch = { root: 'ab'.repeat(32), count: 7 };
const funding = buildFanOut(context, {
  operator: operator(9_000_000n),
  count: 1,
  lovelace: lovelace(5_000_000n),
  ttlSlot,
});

export const anchor: Sample<'anchor'> = {
  built: buildAnchor(context, { operator: keys.operator, inputs: [outputUtxo(funding, 0)], ...batch, ttlSlot }),
  evidence: batch,
  keys: ['operator'],
};

export const move: Sample<'move_custody'> = {
  built: buildCustodyMove(context, {
    utxos: [utxo(vault.custody, 9_000_000n, [[art, 1n]]), utxo(vault.custody, 3_000_000n)],
    from: { kind: 'custody', address: vault.custody, script: sample.custody, keyHash: vaultKeyHash, cosigners: null },
    to: rotated.custody,
    described: { unit: longUnit(4), datum: { int: 1 } },
    operator: operator(20_000_000n),
    ttlSlot,
  }),
  evidence: { vault: rotated },
  keys: ['operator', 'vault'],
};
