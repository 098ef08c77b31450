import {
  buildAssetHandOver,
  buildAssetPurchase,
  buildAssetSale,
  buildDecision,
} from '../../src/cardano/build/execution.ts';
import { buildAssetReturn, buildAssetStaking } from '../../src/cardano/build/staking.ts';
import {
  buildClaim,
  buildPotGathering,
  buildRemainderPayment,
  buildVaultClosing,
} from '../../src/cardano/build/termination.ts';
import type { Custody } from '../../src/cardano/build/custody.ts';
import { claimsScript, liquidityScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { referenceDatum } from '../../src/cardano/tokens/fractional-token.ts';
import { baseUnits, basisPoints, lovelace } from '../../src/platform/units/money.ts';
import type { EndEvidence } from '../../src/signing-policy/evidence.ts';
import type { ProposalEffect } from '../../src/proposals/rules/effects.ts';
import {
  context,
  longUnit,
  openSlot,
  operator,
  payer,
  ttlSlot,
  utxo,
  vault as sample,
  wallet,
} from '../chain/sample-context.ts';
import { art, ft, other, owner, type Sample, supply, vault, vaultKeyHash } from './samples.ts';

export const cosigner = wallet(3);
const custody: Custody = {
  address: vault.custody,
  script: sample.custody,
  vaultKeyHash,
  cosigners: [cosigner.key.keyHash],
  allCosign: true,
};
const alone: Custody = { ...custody, cosigners: [] };
const held = (coin: bigint) => utxo(vault.custody, coin, [[art, 1n]]);
const one = new Map([[art, 1n]]);

type Execution = Sample<'execute'>;

/** As it was anchored, when voting and lock phases were at least so long ago that it may just be executed. */
function voteOn({ terms, ...effect }: ProposalEffect): Execution['evidence']['vote'] {
  const of = { proposalId: 'proposal-1', vaultId: 'vault-1' };
  const texts = Object.entries(terms).map(([name, term]) => [name, term === null ? null : String(term)] as const);
  const proposed = { ...effect, terms: Object.fromEntries(texts) };
  return {
    vaultId: 'vault-1',
    created: {
      fact: {
        kind: 'proposal_created',
        ...of,
        effect: proposed,
        assets: [...one].map(([unit, quantity]) => ({ id: 'asset-1', unit, quantity: String(quantity) })),
        thresholds: { cosigning: '500' },
        requiredCosigners: 1,
      },
      slot: openSlot - 150,
    },
    closed: { fact: { kind: 'proposal_closed', ...of, outcome: 'passed' }, slot: openSlot - 50 },
    shortest: { voting: 200, lock: 100 },
  };
}

function execution(effect: ProposalEffect, built: Execution['built'], partner: string | null): Execution {
  return {
    built,
    evidence: {
      vault,
      proposalId: 'proposal-1',
      vote: voteOn(effect),
      effect,
      approved: effect,
      assets: one,
      marketValue: null,
      stakingAddresses: [other.address],
      partner,
      cosigners: [cosigner.key.keyHash],
      requiredCosigners: 1,
      staked: { supply, byKey: new Map([[cosigner.key.keyHash, supply / 20n]]), unseen: new Map() },
      claimsOpen: false,
      lastSlot: ttlSlot,
    },
    keys: ['operator', 'vault'],
    signedBy: [cosigner.key.keyHash, ...(partner === null ? [] : [partner])],
  };
}

const price = lovelace(50_000_000n);

export const sale = execution(
  { type: 'ASSET_SALE', assetIds: ['asset-1'], terms: { price, buyerAddress: other.address } },
  buildAssetSale(context, {
    custody,
    utxos: [held(1_500_000n)],
    assets: one,
    price,
    buyer: payer(other, utxo(other.address, 90_000_000n, [[longUnit(2), 4n]])),
    ttlSlot,
  }),
  other.key.keyHash,
);

export const purchase = execution(
  {
    type: 'BUY',
    assetIds: [],
    terms: {
      policyId: art.slice(0, 56),
      assetNameHex: art.slice(56),
      quantity: baseUnits(1n),
      price,
      sellerAddress: other.address,
    },
  },
  buildAssetPurchase(context, {
    custody,
    utxos: [utxo(vault.custody, 80_000_000n)],
    assets: one,
    price,
    seller: payer(other, utxo(other.address, 5_000_000n, [[art, 1n]])),
    ttlSlot,
  }),
  other.key.keyHash,
);

const staking = { type: 'STAKE', assetIds: ['asset-1'] } as const;

export const stakingOut = execution(
  { ...staking, terms: { direction: 'out', stakingAddress: other.address } },
  buildAssetStaking(context, {
    custody,
    holding: [held(1_500_000n)],
    stakingAddress: other.address,
    assets: one,
    payer: operator(20_000_000n),
    ttlSlot,
  }),
  null,
);

export const stakingBack = execution(
  { ...staking, terms: { direction: 'back', stakingAddress: other.address } },
  buildAssetReturn(context, {
    custody,
    holder: payer(other, utxo(other.address, 5_000_000n, [[art, 1n]])),
    assets: one,
    payer: operator(20_000_000n),
    ttlSlot,
  }),
  other.key.keyHash,
);

export const decision = execution(
  {
    type: 'LIQUIDATE',
    assetIds: [],
    terms: { remainingAssetsTo: null, unclaimedLovelaceTo: null, remainingAssets: null },
  },
  buildDecision(context, {
    custody,
    proposalId: 'proposal-1',
    decision: 'liquidate',
    operator: operator(9_000_000n),
    ttlSlot,
  }),
  null,
);

const liquidation = {
  type: 'LIQUIDATE',
  assetIds: [],
  terms: { remainingAssetsTo: owner.address, unclaimedLovelaceTo: null, remainingAssets: `asset-1 ${other.address}` },
} as const;

/** A vault that ends because its holders have decided it, to one of whom the creation names for what is left. */
export const end: EndEvidence = {
  vaultId: 'vault-1',
  reason: 'liquidated',
  recipients: {
    remainingAssetsTo: owner.address,
    unclaimedLovelaceTo: other.address,
    handedAssets: [{ assetId: 'asset-1', address: other.address }],
  },
  terms: { type: 'DAO', fdp: basisPoints(0n), unclaimedLovelaceTo: other.address },
  endsFromSlot: null,
  decision: { ...voteOn(liquidation), proposalId: 'proposal-1', ttlSlot: openSlot },
};

/** Holders of a part have not claimed it in time. */
const claims = { circulating: 400n, overFromSlot: openSlot };

const liquidityGuard = liquidityScript({ vaultKeyHash });

export const gathering: Sample<'gather_pot'> = {
  built: buildPotGathering(context, {
    inputs: [
      { utxo: utxo(vault.custody, 60_000_000n, [[art, 1n]]), script: sample.custody },
      { utxo: utxo(vault.liquidity, 30_000_000n, [[ft, 800n]]), script: liquidityGuard },
    ],
    claimsAddress: vault.claims,
    inPot: 0,
    custody: alone,
    ftUnit: ft,
    ftSupply: supply,
    operator: operator(40_000_000n),
    ttlSlot,
  }),
  evidence: { vault, ftUnit: ft, end },
  keys: ['operator', 'vault'],
};

export const handOver: Sample<'hand_over'> = {
  built: buildAssetHandOver(context, {
    custody: alone,
    utxos: [utxo(vault.custody, 5_000_000n, [...one, [longUnit(5), 3n]])],
    assets: [{ policyId: art.slice(0, 56), assetName: art.slice(56), quantity: 1n, address: other.address }],
    claimsAddress: vault.claims,
    operator: operator(20_000_000n),
    ttlSlot,
  }),
  evidence: { vault, ftUnit: ft, end, handed: [{ address: other.address, unit: art, quantity: 1n }], claims },
  keys: ['operator', 'vault'],
};

const potGuard = claimsScript({ vaultKeyHash });
const FLOAT = 1_700_000n;

export const remainder: Sample<'pay_remainder'> = {
  built: buildRemainderPayment(context, {
    pot: [{ utxo: utxo(vault.claims, 30_000_000n + FLOAT, [[ft, 400n]]), script: potGuard }],
    claimsAddress: vault.claims,
    remainder: lovelace(30_000_000n),
    recipient: other.address,
    vaultKeyHash,
    operator: operator(20_000_000n),
    ttlSlot,
  }),
  evidence: { vault, ftUnit: ft, end, recipient: other.address, remainder: 30_000_000n, float: FLOAT, pots: 1, claims },
  keys: ['operator', 'vault'],
};

const nft = longUnit(8);

export const closing: Sample<'close_vault'> = {
  built: buildVaultClosing(context, {
    inputs: [
      { utxo: utxo(vault.custody, 1_400_000n, [[nft, 1n]]), script: sample.custody },
      { utxo: utxo(vault.claims, FLOAT, [[ft, 900n]]), script: potGuard },
    ],
    custodyAddress: vault.custody,
    ftUnit: ft,
    claimsAddress: vault.claims,
    claimable: lovelace(0n),
    datum: referenceDatum({ name: 'Art', ticker: 'ART', decimals: 6 }),
    vaultKeyHash,
    operator: operator(20_000_000n),
    ttlSlot,
  }),
  evidence: { vault, ftUnit: ft, end, policies: [nft.slice(0, 56), ft.slice(0, 56)], float: FLOAT, pots: 1 },
  keys: ['operator', 'vault'],
};

const POT = 100_000_000n;

export const claim: Sample<'claim'> = {
  built: buildClaim(context, {
    holder: payer(owner, utxo(owner.address, 4_000_000n, [[ft, 300n]])),
    pot: {
      script: potGuard,
      address: vault.claims,
      vaultKeyHash,
      free: [utxo(vault.claims, POT + FLOAT, [[ft, supply - 1000n]])],
    },
    ftUnit: ft,
    amount: 200n,
    payout: lovelace(20_000_000n),
    ttlSlot,
  }),
  evidence: {
    vault,
    ftUnit: ft,
    amount: 200n,
    payout: 20_000_000n,
    pot: { lovelace: POT + FLOAT, redeemed: supply - 1000n },
    supply,
  },
  keys: ['vault'],
  signedBy: [owner.key.keyHash],
};
