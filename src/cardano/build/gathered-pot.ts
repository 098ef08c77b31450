import { gatheredLovelace } from './pot-gathering.ts';
import type { Holding } from '../transaction.ts';
import type { Pot } from '../../termination/rules/pot.ts';
import { baseUnits, type BaseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';

/** A transaction that gathers a part of a pot. */
interface Gathering {
  readonly inputs: readonly Holding[];
  readonly outputs: readonly Holding[];
  readonly fee: Lovelace;
}

interface GatheredVault {
  /** Of its custody and its liquidity share. */
  readonly sources: readonly string[];
  readonly claimsAddress: string;
  readonly ftUnit: string;
  readonly ftSupply: BaseUnits;
}

/**
 * The pot that transactions have gathered: what the vault had less their fees and what returned to it, shared by the tokens outside of it. The float is
 * what the operator added for the min-ADA of the outputs.
 */
export function gatheredPot(
  gatherings: readonly Gathering[],
  { sources, claimsAddress, ftUnit, ftSupply }: GatheredVault,
): { readonly pot: Pot; readonly float: Lovelace } {
  const ofVault = ({ address }: Holding) => sources.includes(address);
  const outputs = gatherings.flatMap((one) => one.outputs).filter(({ address }) => address === claimsAddress);
  const shared = gatherings.reduce((sum, { inputs, outputs: made, fee }) => {
    const [held, kept] = [inputs, made].map((side) => sumOf(side.filter(ofVault)));
    return sum + gatheredLovelace({ held: held ?? 0n, kept: kept ?? 0n, fee });
  }, 0n);
  const inPot = outputs.reduce((sum, { assets }) => sum + (assets.get(ftUnit) ?? 0n), 0n);
  return {
    pot: { lovelace: lovelace(shared), circulating: baseUnits(ftSupply - inPot) },
    float: lovelace(sumOf(outputs) - shared),
  };
}

function sumOf(holdings: readonly Holding[]): bigint {
  return holdings.reduce((sum, holding) => sum + holding.lovelace, 0n);
}
