import { depositorsOf, type People } from './people.ts';
import type { Rest } from './rest.ts';
import { type Settlement, shareLines } from './shares.ts';
import { print, type Wallet } from './wallets.ts';

export const DAY = 86_400;
export const FT_DECIMALS = 6;

interface VaultRead {
  readonly status: string;
  readonly phase: string;
  readonly contractAddress: string;
  readonly fractionalization: { readonly tokenAddress: string };
  readonly transactions: readonly {
    readonly kind: string;
    readonly hash: string;
    readonly blockHeight: number | null;
  }[];
}

/** Moves the clock past both windows and prints what everyone received. */
export async function settleVault(rest: Rest, ledgerUrl: string, vaultId: string, people: People): Promise<VaultRead> {
  await advance(rest, vaultId, 3 * DAY, 'three days pass: the asset window closes');
  await advance(rest, vaultId, 4 * DAY, 'four more days pass: the investment window closes and the vault settles');
  const vault = await waitUntilLocked(rest, vaultId);
  await printSettlement(vault, ledgerUrl, depositorsOf(people));
  return vault;
}

/** Moves the clock, then prints the vault's status and phase. */
export async function advance(rest: Rest, vaultId: string, seconds: number, what: string): Promise<void> {
  await rest.post('/dev/clock/advance', { seconds });
  const { data } = await rest.get<{ data: VaultRead }>(`/api/v1/vaults/${vaultId}`);
  print(`${what}\n  the vault is ${data.status}, phase ${data.phase}`);
}

function waitUntilLocked(rest: Rest, vaultId: string): Promise<VaultRead> {
  return rest.until(async () => {
    const { data } = await rest.get<{ data: VaultRead }>(`/api/v1/vaults/${vaultId}`);
    return data.status === 'LOCKED' ? data : null;
  });
}

async function printSettlement(vault: VaultRead, ledgerUrl: string, wallets: readonly Wallet[]): Promise<void> {
  for (const { kind, hash, blockHeight } of vault.transactions) {
    if (['mint', 'deliver', 'liquidity'].includes(kind))
      print(`  ${kind}: transaction ${hash} in block ${blockHeight ?? '?'}`);
  }
  const settlement = settlementOf(vault);
  print(`everyone has a share of the fractional token (FT) ${settlement.token}; on the ledger they received:`);
  for (const line of await shareLines(ledgerUrl, settlement, wallets)) print(line);
  print('(the ADA includes what remained of the delivery deposits)');
}

/** The part of a vault's read that says who received what. */
export function settlementOf({ fractionalization: { tokenAddress: token }, transactions }: VaultRead): Settlement {
  return { token, decimals: FT_DECIMALS, transactions };
}
