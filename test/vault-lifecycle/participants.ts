import { keyAddress } from '../../src/cardano/scripts/address.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

const mnemonic =
  'legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title';
const keys = deriveKeys(mnemonic, 0);

export interface UnsignedTransaction {
  readonly hash: string;
  readonly unsignedTx: string;
  readonly expiresAt: string;
}

/** As operations of the specification return it. */
interface SpecTransaction {
  readonly tx_hash: string;
  readonly unsigned_tx: string;
  readonly expires_at: string;
}

export interface DepositAnswer {
  readonly asset_id: string;
  readonly transaction: SpecTransaction;
}

interface InvestmentAnswer {
  readonly data: { readonly investmentId: string; readonly transaction: UnsignedTransaction };
}

export interface Person {
  readonly address: string;
  /** A CIP-30 witness set for these bytes. */
  readonly sign: (unsignedTx: string) => string;
}

/** Returns the person with this number; the same number is always the same wallet. */
export function person(number: number): Person {
  const key = keys.vaultKey(number);
  return { address: keyAddress(key.keyHash, 0), sign: (unsignedTx) => witnessSetOf(unsignedTx, [key]) };
}

interface Funding {
  readonly ada: number;
  /** Quantity by asset name; one policy for all of them. */
  readonly assets?: Readonly<Record<string, number>>;
}

/** Sends ADA and assets to a person and waits until they are in a block; returns the policy id of the assets. */
export async function fundWallet(
  { ledger }: Pick<TestStack, 'ledger'>,
  { address }: Person,
  { ada, assets = {} }: Funding,
): Promise<string> {
  const { txHash, policyId } = await ledger.faucet({
    address,
    lovelace: `${ada}000000`,
    assets: Object.entries(assets).map(([name, quantity]) => ({
      assetNameHex: Buffer.from(name).toString('hex'),
      quantity: String(quantity),
    })),
  });
  await until(() => ledger.query(`/txs/${txHash}`), { what: 'the faucet to be in a block' });
  return policyId;
}

interface NewAsset {
  readonly policyId: string;
  readonly name: string;
  readonly quantity?: number;
}

/** Requests to add an asset; returns the response unchecked. */
export function requestAddAsset(
  { api }: Pick<TestStack, 'api'>,
  vaultId: string,
  { address }: Pick<Person, 'address'>,
  { policyId, name, quantity }: NewAsset,
) {
  return api.post<DepositAnswer>(`/vaults/${vaultId}/assets`, {
    policy_id: policyId,
    asset_name: name,
    valuation_method: quantity === undefined ? 'floor_price' : 'dex_price',
    metadata: { creator: 'a test', legal_proof: 'https://example.com/proof' },
    wallet_address: address,
    ...(quantity === undefined ? {} : { quantity }),
  });
}

/** A transaction to sign, whichever operation returned it. */
export function readUnsigned(transaction: UnsignedTransaction | SpecTransaction): UnsignedTransaction {
  if ('hash' in transaction) return transaction;
  const { tx_hash: hash, unsigned_tx: unsignedTx, expires_at: expiresAt } = transaction;
  return { hash, unsignedTx, expiresAt };
}

/** Signs a transaction and posts its witnesses; returns its hash. Throws unless they are accepted. */
export async function submitWitnesses(
  { api }: Pick<TestStack, 'api'>,
  owner: Person,
  transaction: UnsignedTransaction | SpecTransaction,
): Promise<string> {
  const { hash, unsignedTx } = readUnsigned(transaction);
  const answer = await api.post(`/transactions/${hash}/witnesses`, { witnessSet: owner.sign(unsignedTx) });
  if (answer.status !== 200) throw new Error(`the witness was not accepted: ${JSON.stringify(answer.body)}`);
  return hash;
}

/** Requests and signs the addition of an asset; returns its id and transaction hash. */
export async function contribute(stack: Pick<TestStack, 'api'>, vaultId: string, owner: Person, asset: NewAsset) {
  const { status, body } = await requestAddAsset(stack, vaultId, owner, asset);
  if (status !== 201) throw new Error(`the asset was not accepted: ${JSON.stringify(body)}`);
  return { assetId: body.asset_id, hash: await submitWitnesses(stack, owner, body.transaction) };
}

/** Requests and signs an investment; returns its id and transaction hash. */
export async function invest(stack: Pick<TestStack, 'api'>, vaultId: string, investor: Person, lovelace: number) {
  const { status, body } = await stack.api.post<InvestmentAnswer>(`/vaults/${vaultId}/investments`, {
    walletAddress: investor.address,
    lovelace,
  });
  if (status !== 201) throw new Error(`the investment was not accepted: ${JSON.stringify(body)}`);
  const { investmentId, transaction } = body.data;
  return { investmentId, hash: await submitWitnesses(stack, investor, transaction) };
}

/** Waits until a transaction is in one of these states. */
export async function waitForTransaction(
  { sql }: Pick<TestStack, 'sql'>,
  hash: string,
  states: readonly string[],
): Promise<void> {
  await until(
    async () => {
      const rows = await sql.run<{ state: string }>`select state from chain_transactions where hash = ${hash}`;
      return states.includes(rows[0]?.state ?? '');
    },
    { what: `transaction ${hash} to be ${states.join(' or ')}` },
  );
}

/** Returns what an address holds, by unit; ADA under `lovelace`. */
export async function holdings({ ledger }: Pick<TestStack, 'ledger'>, address: string): Promise<Map<string, bigint>> {
  const utxos =
    (await ledger.query<{ amount: { unit: string; quantity: string }[] }[]>(`/addresses/${address}/utxos`)) ?? [];
  const sums = new Map<string, bigint>();
  for (const { unit, quantity } of utxos.flatMap(({ amount }) => amount)) {
    sums.set(unit, (sums.get(unit) ?? 0n) + BigInt(quantity));
  }
  return sums;
}
