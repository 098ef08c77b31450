import { randomBytes, randomUUID } from 'node:crypto';
import { buildWithFee, buildBalanced } from '../../src/cardano/build/funding.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { slotAt } from '../../src/cardano/ledger/slots.ts';
import { keyAddress, paymentKeyHashOf } from '../../src/cardano/scripts/address.ts';
import { depositAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import type { BuiltTransaction, Utxo } from '../../src/cardano/transaction.ts';
import { mapInBatches } from '../../src/platform/async.ts';
import { instant } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { storedUtxo } from '../../src/platform/database/stored-json.ts';
import { until } from '../stack/until.ts';
import type { TestStack } from '../stack/test-stack.ts';

const ADA = 1_000_000n;
const DELIVERY_DEPOSIT = 2n * ADA;
/** More than the fee of a transaction with one input and one output. */
const FEE = 200_000n;
/** Outputs of one transaction. */
const FAN_OUT = 150;
const HOURS_MS = 8 * 3_600_000;
const root =
  'legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title';
const payer = deriveKeys(root, 0).vaultKey(20_000);
const payerAddress = keyAddress(payer.keyHash, 0);

type Seeded = Pick<TestStack, 'sql' | 'ledger'>;

/** An investment as its rows and the ledger hold it. */
interface SeededInvestment {
  readonly wallet: string;
  readonly invested: bigint;
  readonly built: BuiltTransaction;
}

/** Lovelace that the investor with this number invests: no two sums divide evenly. */
const investedBy = (number: number) => 5n * ADA + BigInt((number * 7919) % 1_000_003);

/**
 * Puts investments of as many wallets into a vault: each output on the ledger by a transaction of its own, and its rows as a request
 * and the follower would have written them. They are paid in the order of their numbers. The wallets are new ones, but for those that
 * are given by number.
 */
export async function seedInvestments(
  stack: Seeded,
  vaultId: string,
  count: number,
  wallets: Readonly<Record<number, string>> = {},
): Promise<void> {
  const rows = await stack.sql.run<{ key: string; slot: string }>`select settlement_key_hash as key,
      settles_by_slot as slot from vaults where id = ${vaultId}`;
  const vault = { settlementKeyHash: rows[0]?.key ?? '', settlesBySlot: Number(rows[0]?.slot) };
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 30_000 });
  const [parameters, anchor] = await Promise.all([ledger.protocolParameters(), ledger.slotAnchor()]);
  const ttlSlot = slotAt(anchor, instant(anchor.time + HOURS_MS));

  async function send(built: BuiltTransaction): Promise<void> {
    const sent = await ledger.submit(signTransaction(built.cbor, [payer]));
    if (sent.kind !== 'accepted') throw new Error(`an investment was not accepted: ${JSON.stringify(sent)}`);
  }
  /** Makes an output for each number, and lays it at the deposit address of its investor. */
  async function invest(numbers: readonly number[], funds: Utxo): Promise<{ made: SeededInvestment[]; change: Utxo }> {
    const outputs = numbers.map((number) => {
      return {
        address: payerAddress,
        lovelace: lovelace(investedBy(number) + DELIVERY_DEPOSIT + FEE),
        assets: new Map(),
      };
    });
    const source = { address: payerAddress, keyHash: payer.keyHash, utxos: [funds] };
    const fan = buildBalanced(parameters, source, { outputs, ttlSlot });
    await send(fan);
    const made = numbers.map((number, index): SeededInvestment => {
      const utxo = { ...outputOf(fan, index) };
      const wallet = wallets[number] ?? keyAddress(randomBytes(28).toString('hex'), 0);
      const { address } = depositAddressOf(vault, paymentKeyHashOf(wallet), 0);
      const built = buildWithFee(parameters, (fee) => ({
        inputs: [{ utxo }],
        outputs: [{ address, lovelace: lovelace(utxo.lovelace - fee), assets: new Map() }],
        ttlSlot,
        signers: [payer.keyHash],
      }));
      return { wallet, invested: investedBy(number), built };
    });
    await mapInBatches(made, 10, ({ built }) => send(built));
    return { made, change: outputOf(fan, numbers.length) };
  }

  let funds = await fund(stack, BigInt(count) * 9n * ADA);
  for (let first = 0; first < count; first += FAN_OUT) {
    const numbers = Array.from({ length: Math.min(FAN_OUT, count - first) }, (_, index) => first + index);
    const { made, change } = await invest(numbers, funds);
    await insertRows(stack, vaultId, made);
    funds = change;
  }
  await stack.ledger.mine();
  // Postgres would have done this if the investments had come one by one.
  await stack.sql.run`analyze investments, chain_transactions`;
}

function outputOf({ hash, outputs }: BuiltTransaction, index: number): Utxo {
  const output = outputs[index];
  if (!output) throw new Error(`transaction ${hash} has no output ${index}`);
  return { ...output, txHash: hash };
}

async function fund({ ledger }: Seeded, amount: bigint): Promise<Utxo> {
  const { txHash } = await ledger.faucet({ address: payerAddress, lovelace: amount.toString() });
  await ledger.mine();
  const client = createLedger({ baseUrl: `${ledger.url}/api/v0`, timeoutMs: 30_000 });
  const find = async () => (await client.utxos(payerAddress)).find((utxo) => utxo.txHash === txHash);
  return until(find, { what: 'the faucet to be in a block' });
}

async function insertRows({ sql }: Seeded, vaultId: string, made: readonly SeededInvestment[]): Promise<void> {
  // Rows of one statement are of one age, and are paid in the order of their ids: by these, in that of their numbers.
  const ids = made.map(() => randomUUID()).toSorted();
  const seeds = made.map(({ wallet, invested, built }, index) => ({
    id: ids[index],
    wallet,
    invested: invested.toString(),
    hash: built.hash,
    cbor: built.cbor,
    fee: built.fee.toString(),
    outputs: built.outputs.map((output) => storedUtxo({ ...output, txHash: built.hash })),
    deposit: (outputOf(built, 0).lovelace - invested).toString(),
  }));
  await sql.query(
    `with seed as (
       select * from jsonb_to_recordset($1::jsonb) as seed (id uuid, wallet text, invested numeric, hash text, cbor text,
         fee numeric, outputs jsonb, deposit numeric)
     ), transactions as (
       insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, wallet, hash, unsigned_cbor, signed_cbor,
         inputs, outputs, required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
       select id, 'invest', $2, 'tx-' || id, 'wallet', wallet, hash, cbor, cbor, '[]', outputs, '{}', fee, 0, now(), 'final',
         now(), now() from seed
     )
     insert into investments (id, vault_id, wallet, lovelace, delivery_deposit, status, transaction_id, created_at, updated_at)
     select id, $2, wallet, invested, deposit, 'CONFIRMED', id, now(), now() from seed`,
    [JSON.stringify(seeds), vaultId],
  );
}
