import { expect } from '@jest/globals';
import { buildAssetHandOver, buildDecision } from '../../src/cardano/build/execution.ts';
import { selectUtxos } from '../../src/cardano/build/funding.ts';
import { minAda, type DraftInput } from '../../src/cardano/build/draft.ts';
import { unitsOf } from '../../src/cardano/build/custody.ts';
import {
  buildPotGathering,
  buildRemainderPayment,
  buildVaultClosing,
  closedOf,
  gatheringBatch,
  isShared,
  gatheredPot,
  handedSurplus,
} from '../../src/cardano/build/termination.ts';
import { sumHoldings } from '../../src/cardano/build/values.ts';
import { ownGuards } from '../../src/cardano/scripts/own-guards.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import { referenceDatum } from '../../src/cardano/tokens/fractional-token.ts';
import type { BuiltTransaction, Utxo } from '../../src/cardano/transaction.ts';
import { nameOf, policyOf } from '../../src/assets/rules/asset.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { isVaultToken } from '../../src/vaults/rules/vault.ts';
import { heldAmong } from '../../src/termination/prepare-transactions.ts';
import { context } from '../chain/sample-context.ts';
import { changePot, expectPot } from './claim.ts';
import { holdings, land, lovelaceOf } from './land.ts';
import { heir, operator, payerOf, type Party } from './parties.ts';
import {
  assetsIn,
  custodyOf,
  ftDescription,
  ftPolicy,
  guardOf,
  own,
  parameters,
  spendable,
  ttlOf,
  unitOfFt,
  WEALTH,
  type World,
} from './world.ts';

const tokens = { policyId: scriptHash(ftPolicy), ftUnit: unitOfFt };

/** Holders end the vault: everything is gathered, assets with a recipient are handed over, and the claims open. */
export function beginEnd(world: World, handed: readonly Handed[]): void {
  const decision = buildDecision(context, {
    custody: custodyOf(world),
    proposalId: 'liquidate',
    decision: 'liquidate',
    operator: payerOf(world.ledger, operator),
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'execute', built: decision, changes: { operator: { lovelace: 0n - decision.fee } } });
  const circulating = tokensOfHolders(world);
  const before = lovelaceOf(world, operator);
  const gatherings = gather(world);
  const paid = before - lovelaceOf(world, operator);
  const handOvers = handOver(world, handed);
  const { pot, float } = gatheredPot(gatherings, {
    sources: [world.vault.contractAddress, guardOf(world, 'liquidity').address],
    claimsAddress: guardOf(world, 'claims').address,
    ftUnit: unitOfFt,
    ftSupply: world.terms.supply,
  });
  expect(pot.circulating).toBe(circulating);
  // The operator lends the float, and pays of the fees what the vault does not have.
  expect(paid - float).toBe(gatherings.reduce((sum, built) => sum + unpaidBy(world, built), 0n));
  world.pot = pot;
  world.float = float;
  changePot(world, { lovelace: surplusOf(world, handOvers) });
  expectPot(world);
}

/** An asset for somebody, in the order of the assets in custody. */
interface Handed {
  readonly asset: number;
  readonly to: Party;
}

function tokensOfHolders(world: World): bigint {
  const ofVault = holdings(world).get('vault')?.assets.get(unitOfFt) ?? 0n;
  return world.terms.supply - ofVault;
}

function gather(world: World): BuiltTransaction[] {
  const gatherings: BuiltTransaction[] = [];
  const { address: claimsAddress } = guardOf(world, 'claims');
  for (;;) {
    const left = (['custody', 'liquidity'] as const).flatMap((kind) => sharedAt(world, kind));
    if (left.length === 0 && gatherings.length > 0) return gatherings;
    const built = buildPotGathering(context, {
      inputs: gatheringBatch(left, unitOfFt),
      claimsAddress,
      inPot: own(world, claimsAddress).length,
      custody: custodyOf(world),
      ftUnit: unitOfFt,
      ftSupply: world.terms.supply,
      operator: payerOf(world.ledger, operator),
      ttlSlot: ttlOf(world),
    });
    land(world, { kind: 'gather_pot', built, changes: {}, isPaidByOperator: true });
    gatherings.push(built);
  }
}

/** What a gathering costs more than the vault has in the outputs that it spends. */
function unpaidBy(world: World, { inputs, outputs, fee }: BuiltTransaction): bigint {
  const sources = [world.vault.contractAddress, guardOf(world, 'liquidity').address];
  const [held, kept] = [inputs, outputs].map((side) => {
    return sumHoldings(side.filter(({ address }) => sources.includes(address))).lovelace;
  });
  const missing = (kept ?? 0n) + fee - (held ?? 0n);
  return missing > 0n ? missing : 0n;
}

function sharedAt(world: World, kind: 'custody' | 'liquidity'): DraftInput[] {
  const { address, script } = guardOf(world, kind);
  return own(world, address)
    .filter((utxo) => isShared(utxo, tokens))
    .map((utxo) => ({ utxo, script }));
}

/** Hands assets to people, of each all that custody has of it. */
function handOver(world: World, handed: readonly Handed[]): BuiltTransaction[] {
  const inCustody = assetsIn(spendable(world));
  const wanted = handed.flatMap(({ asset, to }) => {
    const [unit, quantity] = inCustody[asset % Math.max(1, inCustody.length)] ?? [];
    if (unit === undefined || quantity === undefined) return [];
    return [{ policyId: policyOf(unit), assetName: nameOf(unit), quantity, address: to.address }];
  });
  const free = spendable(world);
  // Who was named for what somebody else gets too gets nothing of it.
  const assets = heldAmong(wanted, free);
  if (assets.length === 0) return [];
  const built = buildAssetHandOver(context, {
    custody: custodyOf(world),
    utxos: selectUtxos(free, unitsOf(assets)),
    assets,
    claimsAddress: guardOf(world, 'claims').address,
    operator: payerOf(world.ledger, operator),
    ttlSlot: ttlOf(world),
  });
  const paid = (address: string) => sumHoldings(built.outputs.filter((output) => output.address === address)).lovelace;
  const changes = Object.fromEntries(handed.map(({ to }) => [to.name, { lovelace: paid(to.address) }]));
  land(world, { kind: 'hand_over', built, changes, isPaidByOperator: true });
  return [built];
}

function surplusOf(world: World, handOvers: readonly BuiltTransaction[]): bigint {
  return handOvers.reduce(
    (sum, built) => sum + handedSurplus({ outputs: built.outputs.map(asOutput(built)) }, world.vault),
    0n,
  );
}

function asOutput({ hash: txHash }: BuiltTransaction) {
  return (output: BuiltTransaction['outputs'][number]): Utxo => ({ ...output, txHash });
}

/** When the claims are over: what nobody claimed and what nobody bought goes to who was named for it. */
export function giveRest(world: World): void {
  const inCustody = assetsIn(spendable(world));
  const handOvers = handOver(
    world,
    inCustody.map((_, asset) => ({ asset, to: heir })),
  );
  changePot(world, { lovelace: surplusOf(world, handOvers) });
  expectPot(world);
  const { lovelace: remainder } = world.pot;
  if (remainder === 0n) return;
  const { address: claimsAddress, script, keyHash: vaultKeyHash } = guardOf(world, 'claims');
  const built = buildRemainderPayment(context, {
    pot: own(world, claimsAddress).map((utxo) => ({ utxo, script })),
    claimsAddress,
    remainder,
    recipient: heir.address,
    vaultKeyHash,
    operator: payerOf(world.ledger, operator),
    ttlSlot: ttlOf(world),
  });
  const paid = built.outputs[0]?.lovelace ?? 0n;
  const least = minAda(parameters, { address: heir.address, lovelace: remainder, assets: new Map() });
  expect(paid).toBe(remainder > least ? remainder : least);
  land(world, { kind: 'pay_remainder', built, changes: { heir: { lovelace: paid } }, isPaidByOperator: true });
  changePot(world, { lovelace: 0n - remainder });
}

/** Leaves what can still be claimed, and the tokens without value; the operator gets back what it lent. */
export function close(world: World): void {
  const { address: claimsAddress, script, keyHash: vaultKeyHash } = guardOf(world, 'claims');
  const free = own(world, claimsAddress).map((utxo) => ({ utxo, script }));
  const { lovelace: held } = sumHoldings(free.map(({ utxo }) => utxo));
  const closed = closedOf(world, { free, count: free.length, lovelace: held }, leastOf(world));
  if (closed === null) throw new Error('a pot that is as counted is closed at once');
  const inputs = [...identityOf(world), ...closed.inputs];
  if (inputs.length === 0) return;
  const built = buildVaultClosing(context, {
    inputs,
    claimable: closed.claimable,
    custodyAddress: world.vault.contractAddress,
    claimsAddress,
    ftUnit: unitOfFt,
    datum: referenceDatum(ftDescription),
    vaultKeyHash,
    operator: payerOf(world.ledger, operator),
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'close_vault', built, changes: {}, isPaidByOperator: true });
  if (closed.claimable > 0n) {
    world.float = lovelace(closed.claimable - world.pot.lovelace);
    expectPot(world);
  }
}

/** The min-ADA of an output with all tokens. */
export function leastOf(world: World): bigint {
  const { address } = guardOf(world, 'claims');
  return minAda(parameters, {
    address,
    lovelace: lovelace(2n ** 40n),
    assets: new Map([[unitOfFt, world.terms.supply]]),
  });
}

/** The outputs with tokens that identify the vault. Cosigners would have to sign for them, so that theirs stay. */
function identityOf(world: World): DraftInput[] {
  if (world.terms.hasCosigners) return [];
  const { address, script } = guardOf(world, 'custody');
  const isIdentity = ({ assets }: Utxo) =>
    assets.size > 0 && [...assets.keys()].every((unit) => isVaultToken(unit, tokens));
  return own(world, address)
    .filter(isIdentity)
    .map((utxo) => ({ utxo, script }));
}

/** After the end the vault has tokens without value, assets that nobody was named for, and what can still be claimed. */
export function expectLeft(world: World): void {
  const claims = guardOf(world, 'claims').address;
  for (const { address, kind } of ownGuards(world.vault, 0)) {
    const left = world.ledger.utxosAt(address);
    if (address === world.vault.contractAddress) expect(left.filter((utxo) => !isWithTokens(utxo))).toEqual([]);
    else if (address !== claims) expect({ kind, left }).toEqual({ kind, left: [] });
  }
  // But for what was rounded off, it never gets anything of the holders'.
  expect(lovelaceOf(world, operator)).toBeLessThan(WEALTH + leastOf(world));
}

function isWithTokens({ assets }: Utxo): boolean {
  return assets.size > 0;
}
