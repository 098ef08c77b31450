import { formatUnits, type Holding, holdingIn, type Output, outputsOf, totalSupply } from './ledger.ts';
import type { Wallet } from './wallets.ts';

export interface Settlement {
  /** Unit of the fractional token. */
  readonly token: string;
  readonly decimals: number;
  readonly transactions: readonly { readonly kind: string; readonly hash: string }[];
}

/** One line per wallet and one for the liquidity share, exact; throws unless they add up to the supply of the token. */
export async function shareLines(
  ledgerUrl: string,
  { token, decimals, transactions }: Settlement,
  wallets: readonly Wallet[],
): Promise<string[]> {
  const delivered = await outputsOf(ledgerUrl, hashesOf(transactions, 'deliver'));
  const shares = [
    ...wallets.map(({ name, address }) => {
      const own = delivered.filter((output) => output.address === address);
      return { name, paid: holdingIn(own, token) };
    }),
    { name: 'liquidity', paid: holdingIn(await pooledOutputs(ledgerUrl, { token, transactions }), token) },
  ];
  const total = await requireAll(
    ledgerUrl,
    token,
    shares.map(({ paid }) => paid),
  );
  const row = (name: string, ft: bigint) => `  ${name.padEnd(10)}${formatUnits(ft, decimals).padStart(18)} FT`;
  return [
    ...shares.map(({ name, paid }) => `${row(name, paid.ft)}${formatUnits(paid.lovelace, 6).padStart(16)} ADA`),
    `${row('together', total)}, the whole supply`,
  ];
}

/** The address that the liquidity share went to. */
export async function liquidityAddress(
  ledgerUrl: string,
  settlement: Pick<Settlement, 'token' | 'transactions'>,
): Promise<string> {
  const [pooled] = await pooledOutputs(ledgerUrl, settlement);
  if (!pooled) throw new Error('the vault has no liquidity share');
  return pooled.address;
}

/** Outputs of the liquidity share. */
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

/** Throws unless the parts add up to the supply of the token. */
export async function requireAll(ledgerUrl: string, token: string, parts: readonly Holding[]): Promise<bigint> {
  const total = parts.reduce((all, { ft }) => all + ft, 0n);
  const supply = await totalSupply(ledgerUrl, token);
  if (total !== supply) throw new Error(`${total} of ${supply} units are accounted for`);
  return total;
}
