import { expect } from '@jest/globals';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { reconcileVault, snapshotOf, untilNextBlock } from '../../src/books/reconciliation.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { derivedAddresses } from './derived-addresses.ts';

interface Amounts {
  readonly lovelace: string;
  readonly assets: readonly { readonly unit: string; readonly quantity: string }[];
}

export interface Movement extends Amounts {
  readonly at: string;
  readonly transactionHash: string | null;
  readonly direction: 'in' | 'out';
  readonly address: string;
  readonly place: string;
}

interface StatementPage {
  readonly addresses: readonly { readonly address: string }[];
  readonly opening: Amounts;
  readonly movements: readonly Movement[];
  readonly closing: Amounts;
  readonly next: string | null;
}

export interface ResidualOutput extends Amounts {
  readonly transactionHash: string;
  readonly index: number;
  readonly address: string;
  readonly place: string;
  readonly reason: string;
}

interface LedgerOutput {
  readonly tx_hash: string;
  readonly output_index: number;
  readonly address: string;
  readonly amount: readonly { readonly unit: string; readonly quantity: string }[];
}

type Stack = Pick<TestStack, 'api' | 'ledger' | 'databaseUrl' | 'sql'>;

const add = (sums: Map<string, bigint>, { lovelace, assets }: Amounts, sign = 1n) => {
  for (const { unit, quantity } of [{ unit: 'lovelace', quantity: lovelace }, ...assets])
    sums.set(unit, (sums.get(unit) ?? 0n) + sign * BigInt(quantity));
};
const present = (sums: Map<string, bigint>) => new Map([...sums].filter(([, sum]) => sum !== 0n).toSorted());
const balanceOf = (amounts: Amounts) => {
  const sums = new Map<string, bigint>();
  add(sums, amounts);
  return present(sums);
};

/** Every page of a statement, a few movements each; fails unless each page opens with what the one before closed with. */
async function readStatement({ api }: Stack, vaultId: string, limit = 3) {
  const addresses = new Set<string>();
  const movements: Movement[] = [];
  let sums = new Map<string, bigint>();
  for (let after: string | null = ''; after !== null;) {
    const query: string = after === '' ? '' : `&after=${after}`;
    const { status, body } = await api.get<{ data: StatementPage }>(
      `/vaults/${vaultId}/statement?limit=${limit}${query}`,
    );
    expect(status).toBe(200);
    const page = body.data;
    expect(balanceOf(page.opening)).toEqual(present(sums));
    for (const moved of page.movements) add(sums, moved, moved.direction === 'in' ? 1n : -1n);
    sums = present(sums);
    for (const sum of sums.values()) expect(sum > 0n).toBe(true);
    expect(balanceOf(page.closing)).toEqual(sums);
    for (const { address } of [...page.addresses, ...page.movements]) addresses.add(address);
    movements.push(...page.movements);
    after = page.next;
  }
  return { addresses: [...addresses], movements, closing: sums };
}

/** Everything that `GET /vaults/{vaultId}/remains` names. */
async function readRemains({ api }: Stack, vaultId: string): Promise<readonly ResidualOutput[]> {
  const { status, body } = await api.get<{ data: { remains: ResidualOutput[] } }>(
    `/vaults/${vaultId}/remains?limit=100`,
  );
  expect(status).toBe(200);
  return body.data.remains;
}

/**
 * Fails unless the statement of a vault closes with what the ledger holds at its addresses, those that it lists and those that its keys
 * have, and its remains name exactly those outputs. Blocks must not change them meanwhile.
 */
export async function expectStatement(stack: Stack, vaultId: string) {
  const statement = await readStatement(stack, vaultId);
  const remains = await readRemains(stack, vaultId);
  const addresses = new Set([...statement.addresses, ...(await derivedAddresses(stack, vaultId))]);
  const pages = [...addresses].map((address) =>
    stack.ledger.query<LedgerOutput[]>(`/addresses/${address}/utxos?count=100`),
  );
  const held = (await Promise.all(pages)).flatMap((outputs) => outputs ?? []);
  const onLedger = new Map<string, bigint>();
  for (const { unit, quantity } of held.flatMap(({ amount }) => amount))
    onLedger.set(unit, (onLedger.get(unit) ?? 0n) + BigInt(quantity));
  expect(statement.closing).toEqual(present(onLedger));
  const shown = (outputs: readonly { hash: string; index: number; address: string; amounts: Map<string, bigint> }[]) =>
    outputs.toSorted((one, other) => (`${one.hash}${one.index}` < `${other.hash}${other.index}` ? -1 : 1));
  expect(
    shown(
      remains.map((remain) => {
        return {
          hash: remain.transactionHash,
          index: remain.index,
          address: remain.address,
          amounts: balanceOf(remain),
        };
      }),
    ),
  ).toEqual(
    shown(
      held.map(({ tx_hash: hash, output_index: index, address, amount }) => {
        const [lovelace = '0'] = amount.flatMap(({ unit, quantity }) => (unit === 'lovelace' ? [quantity] : []));
        const assets = amount.filter(({ unit }) => unit !== 'lovelace');
        return { hash, index, address, amounts: balanceOf({ lovelace, assets }) };
      }),
    ),
  );
  return { ...statement, remains };
}

/** As `expectStatement`, and a reconciliation finds nothing either: none of its rows was made by the test. */
export async function expectBooks(stack: Stack, vaultId: string) {
  const statement = await expectStatement(stack, vaultId);
  expect(await differencesOf(stack, vaultId)).toEqual([]);
  return statement;
}

/** What a reconciliation of one vault finds now. */
async function differencesOf({ databaseUrl, ledger: { url } }: Stack, vaultId: string) {
  const db = openDatabase(databaseUrl, () => undefined, 2);
  const ledger = createLedger({ baseUrl: `${url}/api/v0`, timeoutMs: 5000 });
  const pause = () => untilNextBlock(db, 2000);
  const differences = await reconcileVault({ snapshot: snapshotOf(db), ledger, networkId: 0, pause }, vaultId);
  await db.destroy();
  return differences;
}
