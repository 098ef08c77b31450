import { gatheredPot } from '../cardano/build/gathered-pot.ts';
import { handedSurplus } from '../cardano/build/handed-surplus.ts';
import { claimsAddressOf, liquidityAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';

/** What final transactions have brought into the pot of a vault before its claims and sales. */
export function recordedPot(final: readonly ChainTransaction[], vault: Vault, networkId: NetworkId) {
  const gatherings = final.filter(({ kind }) => kind === 'gather_pot');
  const { pot, float } = gatheredPot(gatherings, {
    sources: [vault.contractAddress, liquidityAddressOf(vault, networkId).address],
    claimsAddress: claimsAddressOf(vault, networkId).address,
    ftUnit: requireFtUnit(vault),
    ftSupply: vault.terms.ftSupply,
  });
  const handed = handedIn(final, vault);
  return { pot: { ...pot, lovelace: lovelace(pot.lovelace + handed) }, float };
}

/** What final hand-overs among these have brought into the pot of a vault. */
function handedIn(final: readonly ChainTransaction[], vault: Vault): Lovelace {
  const handOvers = final.filter(({ kind }) => kind === 'hand_over');
  return lovelace(handOvers.reduce((sum, one) => sum + handedSurplus(one, vault), 0n));
}

/** What final sales among these have brought, which pay into the pot of a vault with their first output. */
export function proceedsOf(final: readonly ChainTransaction[], vault: Vault, networkId: NetworkId): bigint {
  const { address: claims } = claimsAddressOf(vault, networkId);
  const proceeds = final.flatMap(({ kind, outputs }) => (kind === 'execute' ? outputs.slice(0, 1) : []));
  return proceeds.reduce((sum, { address, lovelace: paid }) => (address === claims ? sum + paid : sum), 0n);
}
