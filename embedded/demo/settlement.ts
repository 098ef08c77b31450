import { depositorsOf, type People } from './people.ts';
import { type components, requireData } from '../../client/src/index.ts';
import type { Service } from './service.ts';
import { type Settlement, shareLines } from './shares.ts';
import { print, type Wallet } from './wallets.ts';

export const DAY = 86_400;
export const FT_DECIMALS = 6;

type VaultDetail = components['schemas']['VaultDetail'];

/** Moves the clock past both windows and prints what everyone received. */
export async function settleVault(
  service: Service,
  ledgerUrl: string,
  vaultId: string,
  people: People,
): Promise<VaultDetail> {
  await advance(service, vaultId, 3 * DAY, 'Moved the clock by three days: the asset window has closed');
  await advance(
    service,
    vaultId,
    4 * DAY,
    'Moved the clock by four more days: the investment window has closed, and the vault settles',
  );
  const vault = await waitUntilLocked(service, vaultId);
  await printSettlement(vault, ledgerUrl, depositorsOf(people));
  return vault;
}

/** Moves the clock, then prints the vault's status and phase. */
export async function advance(service: Service, vaultId: string, seconds: number, what: string): Promise<void> {
  await service.develop('clock/advance', { seconds });
  const { status, phase } = await readVault(service, vaultId);
  print(`${what}\n  the vault is ${status}, phase ${phase}`);
}

async function waitUntilLocked(service: Service, vaultId: string): Promise<VaultDetail> {
  await service.event({ vaultId }, 'VAULT_STATUS_CHANGED', (event) => event.data.to === 'LOCKED');
  return readVault(service, vaultId);
}

/** A read without `fields` has every field. */
async function readVault({ api }: Service, vaultId: string): Promise<VaultDetail> {
  const { data } = requireData(await api.GET('/api/v1/vaults/{vaultId}', { params: { path: { vaultId } } }));
  return data as VaultDetail;
}

async function printSettlement(vault: VaultDetail, ledgerUrl: string, wallets: readonly Wallet[]): Promise<void> {
  for (const { kind, hash, blockHeight } of vault.transactions) {
    if (['mint', 'deliver', 'liquidity'].includes(kind))
      print(`  ${kind}: transaction ${hash} in block ${blockHeight ?? '?'}`);
  }
  const settlement = settlementOf(vault);
  print(`Everyone has a share of the fractional token (FT) ${settlement.token}. Received on the ledger:`);
  for (const line of await shareLines(ledgerUrl, settlement, wallets)) print(line);
  print('(The ADA includes the rest of the delivery deposits.)');
}

/** The part of a vault's read that says who received what. */
export function settlementOf({ fractionalization: { tokenAddress: token }, transactions }: VaultDetail): Settlement {
  if (token === null) throw new Error('the vault has no token');
  return { token, decimals: FT_DECIMALS, transactions };
}
