import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { buildAnchor } from '../../src/cardano/build/anchor.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { recordTransaction } from '../../src/transactions/queries/recorded-transactions.ts';
import { storeSigned } from '../../src/transactions/queries/changes.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { transactionWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { context, keys, operator } from '../chain/sample-context.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { person } from './participants.ts';
import { waitForVaultStatus, createVault } from './vault-requests.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });
const THREE_DAYS = 3 * 86_400;

/** Records transactions sent an hour ago whose inputs do not exist: they cannot be confirmed and stay until their TTL. */
async function recordStuckTransactions(stack: TestStack, count: number): Promise<void> {
  const { slot } = await stack.ledger.clock();
  const db = openDatabase(stack.databaseUrl, () => undefined, 1);
  const sentAt = secondsAfter(wallClock.now(), -3600);
  try {
    await db.transaction().execute(async (tx) => {
      for (const utxo of operator(...Array.from({ length: count }, () => 5_000_000n)).utxos) {
        const anchor = { operator: keys.operator, inputs: [utxo], root: 'ab'.repeat(32), count: 1 };
        const built = buildAnchor(context, { ...anchor, ttlSlot: slot + THREE_DAYS });
        const id = ids.next();
        const owner = { ownerWorkflow: transactionWorkflowId(id), signer: 'platform', wallet: null } as const;
        const expiresAt = secondsAfter(sentAt, THREE_DAYS);
        const record = { id, kind: 'fan_out', vaultId: null, ...owner, expiresAt, built } as const;
        await recordTransaction({ tx, ids, now: sentAt }, record);
        await storeSigned(tx, id, signTransaction(built.cbor, [keys.operator]));
      }
      await tx.updateTable('chain_transactions').set({ state: 'submitted' }).execute();
    });
  } finally {
    await db.destroy();
  }
}

test('transactions that cannot be confirmed do not keep others from being sent again', async () => {
  await using stack = await testStack({ environment: { LEDGER_BLOCK_MS: '200' } });
  await recordStuckTransactions(stack, 25);
  await stack.ledger.faults({ drop: 1 });

  const vaultId = await createVault(stack, person(81).address);

  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const rows = await stack.sql.run<{ kind: string; state: string; again: boolean }>`select kind, state,
      sent_at is not null as again from chain_transactions where kind <> 'anchor'`;
  expect(rows.filter(({ kind, state }) => kind === 'fan_out' && state === 'submitted')).toHaveLength(25);
  expect(rows.every(({ again }) => again)).toBe(true);
});
