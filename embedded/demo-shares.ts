import { decimal, type Held, heldIn, lyingAt, type Output, outputsOf, sumOf, supplyOf } from './demo-ledger.ts';
import type { Wallet } from './demo-wallets.ts';

export interface Settlement {
  /** Unit of the fractional token. */
  readonly token: string;
  readonly decimals: number;
  readonly transactions: readonly { readonly kind: string; readonly hash: string }[];
}

/** One line per wallet and one for the liquidity share, to the last unit; throws unless they are all there is of the token. */
export async function tellShares(
  ledgerUrl: string,
  { token, decimals, transactions }: Settlement,
  wallets: readonly Wallet[],
): Promise<string[]> {
  const delivered = await outputsOf(ledgerUrl, hashesOf(transactions, 'deliver'));
  const shares = [
    ...wallets.map(({ name, address }) => {
      const own = delivered.filter((output) => output.address === address);
      return { name, paid: heldIn(own, token) };
    }),
    { name: 'liquidity', paid: heldIn(await pooledOutputs(ledgerUrl, { token, transactions }), token) },
  ];
  const total = await requireAll(
    ledgerUrl,
    token,
    shares.map(({ paid }) => paid),
  );
  const row = (name: string, ft: bigint) => `  ${name.padEnd(10)}${decimal(ft, decimals).padStart(18)} FT`;
  return [
    ...shares.map(({ name, paid }) => `${row(name, paid.ft)}${decimal(paid.lovelace, 6).padStart(16)} ADA`),
    `${row('together', total)}, all there is of it`,
  ];
}

/** Where everything lies in the end. */
export interface Places {
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

/** One line per place with all it holds; throws unless they are all there is of the token, and the buyer has what was sold. */
export async function tellHoldings(
  ledgerUrl: string,
  settlement: Settlement,
  { wallets, stakes, custody }: Places,
  { assetName, unit, buyer }: Sold,
): Promise<string[]> {
  const { token, decimals } = settlement;
  const addresses = [
    ...wallets.map(({ name, address }) => ({ name, address })),
    ...stakes.map(({ wallet, scriptAddress }) => ({ name: `${wallet.name}, staked`, address: scriptAddress })),
    { name: 'custody', address: custody },
  ];
  const found = await Promise.all(
    addresses.map(async ({ name, address }) => ({ name, outputs: [await lyingAt(ledgerUrl, address)] })),
  );
  const places = [...found, { name: 'liquidity', outputs: await pooledOutputs(ledgerUrl, settlement) }].map(
    ({ name, outputs }) => ({ name, held: heldIn(outputs, token), asset: sumOf(outputs, unit) }),
  );
  const total = await requireAll(
    ledgerUrl,
    token,
    places.map(({ held }) => held),
  );
  const holders = places.filter(({ asset }) => asset > 0n);
  if (holders.length !== 1 || holders[0]?.name !== buyer.name) throw new Error(`${buyer.name} has no ${assetName}`);
  const row = (name: string, ft: bigint) => `  ${name.padEnd(17)}${decimal(ft, decimals).padStart(18)} FT`;
  return [
    ...places.map(({ name, held, asset }) => {
      return `${row(name, held.ft)}${decimal(held.lovelace, 6).padStart(18)} ADA${asset > 0n ? ` and ${assetName}` : ''}`;
    }),
    `${row('together', total)}, all there is of it`,
  ];
}

async function pooledOutputs(
  ledgerUrl: string,
  { token, transactions }: Pick<Settlement, 'token' | 'transactions'>,
): Promise<Output[]> {
  const outputs = await outputsOf(ledgerUrl, hashesOf(transactions, 'liquidity'));
  return outputs.filter(({ amount }) => amount.some(({ unit }) => unit === token));
}

function hashesOf(transactions: Settlement['transactions'], wanted: string): string[] {
  return transactions.filter(({ kind }) => kind === wanted).map(({ hash }) => hash);
}

/** Throws unless this is all there is of the token. */
async function requireAll(ledgerUrl: string, token: string, parts: readonly Held[]): Promise<bigint> {
  const total = parts.reduce((all, { ft }) => all + ft, 0n);
  const supply = await supplyOf(ledgerUrl, token);
  if (total !== supply) throw new Error(`${total} of ${supply} units are accounted for`);
  return total;
}
