import { formatUnits, fundsAt, holdingIn, sumUnit } from './ledger.ts';
import { liquidityAddress, requireAll, type Settlement } from './shares.ts';
import type { Wallet } from './wallets.ts';

/** Everyone who holds something at the end of the demo. */
export interface Holders {
  readonly wallets: readonly Wallet[];
  readonly stakes: readonly { readonly wallet: Wallet; readonly scriptAddress: string }[];
  /** Address. */
  readonly custody: string;
}

export interface Sold {
  readonly assetName: string;
  /** Of the asset. */
  readonly unit: string;
  readonly buyer: Wallet;
}

/** One line per holder; throws unless they add up to the supply of the token and the buyer holds the sold asset. */
export async function holdingLines(
  ledgerUrl: string,
  settlement: Settlement,
  { wallets, stakes, custody }: Holders,
  { assetName, unit, buyer }: Sold,
): Promise<string[]> {
  const { token, decimals } = settlement;
  const addresses = [
    ...wallets.map(({ name, address }) => ({ name, address })),
    ...stakes.map(({ wallet, scriptAddress }) => ({ name: `${wallet.name}, staked`, address: scriptAddress })),
    { name: 'custody', address: custody },
    { name: 'liquidity', address: await liquidityAddress(ledgerUrl, settlement) },
  ];
  const found = await Promise.all(
    addresses.map(async ({ name, address }) => ({ name, outputs: [await fundsAt(ledgerUrl, address)] })),
  );
  const places = found.map(({ name, outputs }) => ({
    name,
    held: holdingIn(outputs, token),
    asset: sumUnit(outputs, unit),
  }));
  const total = await requireAll(
    ledgerUrl,
    token,
    places.map(({ held }) => held),
  );
  const holders = places.filter(({ asset }) => asset > 0n);
  if (holders.length !== 1 || holders[0]?.name !== buyer.name) throw new Error(`${buyer.name} has no ${assetName}`);
  const row = (name: string, ft: bigint) => `  ${name.padEnd(17)}${formatUnits(ft, decimals).padStart(18)} FT`;
  return [
    ...places.map(({ name, held, asset }) => {
      return `${row(name, held.ft)}${formatUnits(held.lovelace, 6).padStart(18)} ADA${asset > 0n ? ` and ${assetName}` : ''}`;
    }),
    `${row('together', total)}, the whole supply`,
  ];
}
